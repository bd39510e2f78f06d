import DebugInfo
import FirstlightModel
import FirstlightProbes
import Glibc
import KernelProbes
import SystemSupport

/// Determines the machine's abilities by trials.
package enum MachineProbe {
  /// Forks children that try the kernel's features; makes no lasting changes.
  /// - Parameters:
  ///   - folder: the current folder, in which a file's pages are dropped.
  ///   - tools: installed compilers and linkers.
  ///   - libraries: files that commands need later.
  package static func facts(
    folder: MachineFacts.Folder, tools: [MachineFacts.Tool], libraries: [MachineFacts.Library]
  ) -> MachineFacts {
    var facts = MachineFacts(host: HostInfo.describe())
    facts.libc = HostInfo.glibc.map { "\($0)" } ?? ""
    facts.container = Container.name
    facts.rights = .own
    facts.folder = folder
    facts.answers = KernelAnswers.all(folder: folder.path)
    facts.ptraceScope = ProcFile.number("/proc/sys/kernel/yama/ptrace_scope")
    facts.perfParanoia = ProcFile.text("/proc/sys/kernel/perf_event_paranoid").flatMap {
      Int($0.trimmed)
    }
    facts.tools = tools
    facts.libraries = libraries
    facts.debugInformation = debugInformation()
    return facts
  }

  private static func debugInformation() -> MachineFacts.DebugInformation {
    var found = MachineFacts.DebugInformation()
    found.elfutils = SectionCompression.elfutilsVersion
    found.inflatesZstd = SectionCompression.canInflateZstd
    found.servers = Debuginfod.servers
    return found
  }
}

/// The kind of container around this process, according to the marks of container managers
/// (systemd.io/CONTAINER_INTERFACE, podman-run(1), Docker's /.dockerenv).
enum Container {
  static var name: String? {
    let note = "/run/systemd/container"
    if let manager = ProcFile.text(note), !manager.isEmpty { return "\(manager), by \(note)" }
    if getenv("KUBERNETES_SERVICE_HOST") != nil { return "Kubernetes, by its environment" }
    for (manager, mark) in [("Podman", "/run/.containerenv"), ("Docker", "/.dockerenv")]
    where access(mark, F_OK) == 0 {
      return "\(manager), by \(mark)"
    }
    return getenv("container").map { "\(String(cString: $0)), by $container" }
  }
}
