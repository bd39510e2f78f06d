import FirstlightModel
import Glibc
import SystemSupport

/// The running processes that a user names: by process id, by the name of a program, or by systemd unit.
package enum AttachTarget: Equatable {
  case process(pid_t)
  case program(String)
  case unit(String)

  /// `4242`, `nginx` or `web.service`. A name with one of systemd's suffixes is a unit.
  package init(_ text: String) {
    if let pid = pid_t(text), pid > 0 {
      self = .process(pid)
    } else if [".service", ".scope", ".slice"].contains(where: text.hasSuffix) {
      self = .unit(text)
    } else {
      self = .program(text)
    }
  }

  /// The processes, by id. Never this process.
  ///
  /// - Throws: `.noInput` if there is none.
  func processes() throws(Failure) -> [pid_t] {
    switch self {
    case .process(let pid):
      guard ProcessStat(of: pid) != nil else {
        throw Failure(.noInput, "there is no process \(pid)")
      }
      guard pid != getpid() else {
        throw Failure(.usage, "\(pid) is this firstlight, which cannot watch itself")
      }
      return [pid]
    case .program(let name):
      let found = Self.all.filter { Self.hasName(name, $0) }
      guard !found.isEmpty else {
        throw Failure(
          .noInput, "no running program is called \(name)",
          advice: "name it as in `ps -e`, or give a process id")
      }
      return found
    case .unit(let name):
      let found = Self.all.filter { Self.isInUnit(name, $0) }
      guard !found.isEmpty else {
        throw Failure(
          .noInput, "no process runs in the unit \(name)",
          advice: "see `systemctl status \(name)`")
      }
      return found
    }
  }

  /// Whether the watch goes on without any process, because a service manager may start the next one.
  var outlivesItsProcesses: Bool {
    if case .process = self { false } else { true }
  }

  private static var all: [pid_t] {
    ((try? DirectoryListing.names(in: "/proc")) ?? []).compactMap { pid_t($0) }
      .filter { $0 != getpid() }.sorted()
  }

  /// By the executable, or by the name that `ps -e` shows: 15 bytes that a program may set.
  private static func hasName(_ name: String, _ pid: pid_t) -> Bool {
    if let path = RunningProgram.path(of: pid), BaseName.of(path) == name { return true }
    guard let shown = ProcFile.text("/proc/\(pid)/comm")?.split(separator: "\n").first else {
      return false
    }
    // Kernel threads have no executable.
    return shown.utf8.elementsEqual(name.utf8.prefix(15)) && RunningProgram.path(of: pid) != nil
  }

  /// By the control groups, whose paths name the unit (systemd.unit(5), cgroups(7)).
  private static func isInUnit(_ name: String, _ pid: pid_t) -> Bool {
    (ProcFile.text("/proc/\(pid)/cgroup") ?? "").split(separator: "\n").contains {
      $0.split(separator: "/").dropFirst().contains(Substring(name))
    }
  }
}

/// The program that a process runs.
enum RunningProgram {
  /// The kernel's name of the executable; nil for a kernel thread, or if the process has ended or may not be
  /// looked at.
  static func path(of pid: pid_t) -> String? {
    let path = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(PATH_MAX)) { buffer in
      let count = readlink("/proc/\(pid)/exe", buffer.baseAddress!, buffer.count)
      return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
    }
    guard let path else { return nil }
    // The kernel marks files that were removed or replaced since.
    return path.hasSuffix(" (deleted)") ? String(path.dropLast(10)) : path
  }
}
