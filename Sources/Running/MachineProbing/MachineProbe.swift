import DebugInfo
import Debuginfod
import FirstlightModel
import Glibc
import KernelProbes
import MachineInspection
import StartupMeasurement
import SystemSupport

/// Finds out what this machine allows, by trying it.
package enum MachineProbe {
  /// Starts a few short programs and forks children; changes nothing that lasts.
  package static func facts() -> MachineFacts {
    var facts = MachineFacts(host: HostInfo.describe())
    facts.libc = String(cString: fl_libc_version())
    facts.container = Container.name
    facts.isFiltered =
      (ProcFile.line(of: "/proc/self/status", beginning: "Seccomp:") ?? "0")
      .last != "0"
    facts.folder = folder()
    facts.answers = KernelAnswers.all(folder: facts.folder.path)
    facts.ptraceScope = ProcFile.number("/proc/sys/kernel/yama/ptrace_scope")
    facts.perfParanoia = ProcFile.text("/proc/sys/kernel/perf_event_paranoid").flatMap {
      Int($0.filter { !$0.isWhitespace })
    }
    facts.tools = InstalledTool.all()
    facts.libraries = NeededLibrary.all()
    facts.debugInformation = debugInformation()
    return facts
  }

  private static func folder() -> MachineFacts.Folder {
    var folder = MachineFacts.Folder()
    folder.path = AbsolutePath.resolved(".") ?? "."
    let file = open(folder.path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return folder }
    defer { close(file) }
    folder.isInMemoryOnly = FileCache.isInMemoryOnly(file)
    folder.readahead = FileCache.readahead(file)
    return folder
  }

  private static func debugInformation() -> MachineFacts.DebugInformation {
    var found = MachineFacts.DebugInformation()
    found.elfutils = ElfutilsInfo.version
    found.inflatesZstd = ElfutilsInfo.inflatesZstd
    let urls = getenv("DEBUGINFOD_URLS").map { String(cString: $0) } ?? ""
    found.servers = DebuginfodServer.list(urls).map(\.address)
    return found
  }
}
