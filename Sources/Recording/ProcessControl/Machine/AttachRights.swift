import FirstlightModel
import SystemSupport

/// Rights of this process, which decide whether it may attach to running programs.
///
/// Two settings do not matter (kernel/trace/bpf_trace.c of Linux): perf_event_paranoid is about perf events, and
/// unprivileged_bpf_disabled about processes without CAP_BPF, which may never use these probes.
package struct AttachRights: Sendable {
  /// The capabilities that attaching needs and this process lacks (capabilities(7)).
  package var missing: [String] = []
  /// Whether the process is in a user namespace, where root has no rights over the kernel (user_namespaces(7)).
  package var isInUserNamespace = false
  /// Whether a system-call filter is active (seccomp(2)).
  package var isFiltered = false

  package init() {}

  package static var own: AttachRights {
    var rights = AttachRights()
    func field(_ name: String) -> Substring? {
      ProcFile.line(of: "/proc/self/status", beginning: name)?.split(at: "\t").last
    }
    let held = field("CapEff:").flatMap { UInt64($0, radix: 16) } ?? 0
    // CAP_SYS_ADMIN includes the younger two.
    let needed: [(String, UInt64)] = [
      ("CAP_BPF", 1 << 39 | 1 << 21), ("CAP_PERFMON", 1 << 38 | 1 << 21),
      ("CAP_SYS_PTRACE", 1 << 19),
    ]
    rights.missing = needed.filter { held & $0.1 == 0 }.map(\.0)
    let users = ProcFile.text("/proc/self/uid_map")?.words ?? []
    rights.isInUserNamespace = !users.isEmpty && users != ["0", "0", "4294967295"]
    rights.isFiltered = field("Seccomp:") ?? "0" != "0"
    return rights
  }

  /// Advice for a machine where the kernel's probes do not work.
  ///
  /// - Parameter kernel: as in `Host`.
  package func advice(kernel: String) -> String {
    let version = kernel.split(atBytes: { !$0.isASCIIDigit }).prefix(2).compactMap { Int($0) }
    if version.count == 2, version.lexicographicallyPrecedes([6, 6]) {
      return "they need Linux 6.6"
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
