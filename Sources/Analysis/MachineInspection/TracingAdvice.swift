/// How to permit tracing where it is refused.
package enum TracingAdvice {
  /// - Parameter scope: the setting of yama (Documentation/admin-guide/LSM/Yama.rst of Linux): at 2 only
  ///   processes with CAP_SYS_PTRACE may trace, at 3 none until the next boot. 0 and 1 allow what we do.
  package static func text(scope: Int?) -> String {
    switch scope {
    case 3: "kernel.yama.ptrace_scope is 3: tracing is disabled until the next boot"
    case 2:
      "kernel.yama.ptrace_scope is 2: run as root, or allow it with: "
        + "sysctl kernel.yama.ptrace_scope=1"
    default:
      "ptrace is not permitted here: start the container with --cap-add=SYS_PTRACE (Docker, "
        + "Podman) or securityContext.capabilities.add: [SYS_PTRACE] (Kubernetes)"
    }
  }
}
