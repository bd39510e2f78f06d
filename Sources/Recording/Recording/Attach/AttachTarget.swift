import FirstlightModel
import Glibc
import SystemSupport

/// The processes that a user names: by process id, by the file or the name of a program, or by systemd unit.
enum AttachTarget: Equatable {
  case process(pid_t)
  /// All processes of a file, also those that start later.
  case file(String)
  case program(String)
  case unit(String)

  /// `4242`, `./server`, `nginx` or `web.service`. A slash makes a path, one of systemd's suffixes a unit.
  init(_ text: String) {
    if let pid = pid_t(text), pid > 0 {
      self = .process(pid)
    } else if text.containsUTF8("/") {
      self = .file(text)
    } else if [".service", ".scope", ".slice"].contains(where: { text.ends(with: $0) }) {
      self = .unit(text)
    } else {
      self = .program(text)
    }
  }

  /// The processes, by id. Never this process.
  ///
  /// - Throws: `.noInput` if there is none, except of a file.
  func processes() throws(Failure) -> [pid_t] {
    switch self {
    case .process(let pid):
      guard LiveProcess(pid) != nil else {
        throw Failure(.noInput, "there is no process \(pid)")
      }
      guard pid != getpid() else {
        throw Failure(.usage, "\(pid) is this firstlight, which cannot watch itself")
      }
      return [pid]
    case .file(let path):
      let place = FilePlace(path)
      return Self.all { place != nil && RunningProgram.place(of: $0) == place }
    case .program(let name):
      return try Self.all(
        { Self.hasName(name, $0) }, else: "no running program is called \(name)",
        advice: "name it as in `ps -e`, or give a process id")
    case .unit(let name):
      return try Self.all(
        { Self.isInUnit(name, $0) }, else: "no process runs in the unit \(name)",
        advice: "see `systemctl status \(name)`")
    }
  }

  /// Whether the watch goes on without any process, because a service manager may start the next one.
  var outlivesItsProcesses: Bool {
    if case .process = self { false } else { true }
  }

  /// Whether the user named the programs, and not only the unit to which they belong.
  var namesPrograms: Bool {
    if case .unit = self { false } else { true }
  }

  private static func all(
    _ isMeant: (pid_t) -> Bool, else problem: String, advice: String
  ) throws(Failure) -> [pid_t] {
    let found = all(isMeant)
    guard !found.isEmpty else { throw Failure(.noInput, problem, advice: advice) }
    return found
  }

  private static func all(_ isMeant: (pid_t) -> Bool) -> [pid_t] {
    ((try? DirectoryListing.names(in: "/proc")) ?? []).compactMap { pid_t($0) }
      .filter { $0 != getpid() && isMeant($0) }.sorted()
  }

  /// By the executable, or by the name that `ps -e` shows: 15 bytes that a program may set.
  private static func hasName(_ name: String, _ pid: pid_t) -> Bool {
    if let path = RunningProgram.path(of: pid), BaseName.of(path) == name { return true }
    guard let shown = ProcFile.text("/proc/\(pid)/comm")?.split(at: "\n").first else {
      return false
    }
    // Kernel threads have no executable.
    return shown == name && RunningProgram.path(of: pid) != nil
  }

  /// By the control groups, whose paths name the unit (systemd.unit(5), cgroups(7)).
  private static func isInUnit(_ name: String, _ pid: pid_t) -> Bool {
    (ProcFile.text("/proc/\(pid)/cgroup") ?? "").split(at: "\n").contains {
      $0.split(at: "/").dropFirst().contains(Substring(name))
    }
  }
}
