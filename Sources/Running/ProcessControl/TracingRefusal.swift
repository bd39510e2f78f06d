import FirstlightModel
import Glibc
import SystemSupport

/// The failure of a program that cannot be traced, with how to permit it.
package enum TracingRefusal {
  package static func failure(_ what: String, error: Int32) -> Failure {
    let reason = "\(what): \(ErrorText.of(error))"
    guard error == EPERM || error == EACCES || error == ENOSYS else {
      return Failure(.system, reason)
    }
    return Failure(.unavailable, "the program \(reason)", advice: advice)
  }

  /// The setting of yama (Documentation/admin-guide/LSM/Yama.rst of Linux): at 2 only processes with
  /// CAP_SYS_PTRACE may trace, at 3 none until the next boot. 0 and 1 allow what we do.
  private static var advice: String {
    switch ProcFile.number("/proc/sys/kernel/yama/ptrace_scope") {
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
