import FirstlightModel
import SystemSupport

/// What allows or forbids this process to attach to running programs.
///
/// Not asked, as they do not matter (kernel/trace/bpf_trace.c of Linux): perf_event_paranoid is for perf
/// events, and unprivileged_bpf_disabled for processes without CAP_BPF, which may not use these probes
/// anyway.
package struct AttachRights: Sendable {
  /// The capabilities that attaching needs and this process lacks (capabilities(7)).
  package var missing: [String] = []
  /// Whether this is a user namespace, whose root has no rights to the kernel (user_namespaces(7)).
  package var isInUserNamespace = false
  /// Whether a system-call filter is active (seccomp(2)).
  package var isFiltered = false

  package init() {}

  package static var own: AttachRights {
    var rights = AttachRights()
    func field(_ name: String) -> Substring? {
      ProcFile.line(of: "/proc/self/status", beginning: name)?.split(separator: "\t").last
    }
    let held = field("CapEff:").flatMap { UInt64($0, radix: 16) } ?? 0
    // CAP_SYS_ADMIN includes the younger two.
    let needed: [(String, UInt64)] = [
      ("CAP_BPF", 1 << 39 | 1 << 21), ("CAP_PERFMON", 1 << 38 | 1 << 21),
      ("CAP_SYS_PTRACE", 1 << 19),
    ]
    rights.missing = needed.filter { held & $0.1 == 0 }.map(\.0)
    let users = ProcFile.text("/proc/self/uid_map")?.split(whereSeparator: \.isWhitespace) ?? []
    rights.isInUserNamespace = !users.isEmpty && users != ["0", "0", "4294967295"]
    rights.isFiltered = field("Seccomp:") ?? "0" != "0"
    return rights
  }

  /// How to get the kernel's probes.
  ///
  /// - Parameter kernel: as in `Host`.
  package func advice(kernel: String) -> String {
    let version = kernel.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
    if version.count == 2, version.lexicographicallyPrecedes([6, 6]) {
      return "they came with Linux 6.6"
    }
    if isInUserNamespace {
      return "run outside of this user namespace (of a rootless container), as root"
    }
    let needed = missing.filter { $0 != "CAP_SYS_PTRACE" }
    if needed.isEmpty, isFiltered { return "let the container's seccomp profile allow bpf(2)" }
    return "run as root, or with "
      + (needed.isEmpty ? ["CAP_BPF", "CAP_PERFMON"] : needed).joined(separator: " and ")
  }
}
