import FirstlightModel
import Glibc
import MachineInspection
import ProcessControl
import SystemSupport

/// Compilers and linkers on PATH, with the versions that they state.
enum InstalledTool {
  private static let names = ["swift", "clang", "ld.lld", "ld", "ld.gold", "gcc"]

  static func all() -> [MachineFacts.Tool] {
    names.map { name in
      guard let path = try? ProgramPath.find(name) else { return MachineFacts.Tool(name: name) }
      return MachineFacts.Tool(name: name, path: path, version: version(path))
    }
  }

  private static func version(_ path: String) -> String? {
    guard let log = try? ProgramLog() else { return nil }
    var launch = PlainLaunch(log: log)
    let environment = ProgramEnvironment(["LC_ALL": "C"])
    guard
      let child = try? launch.start(
        [path, "--version"], environment: environment, mask: SignalMask.current.set)
    else { return nil }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 && errno == EINTR { continue }
    return status == 0 ? number(in: log.start(256)) : nil
  }

  /// The first number with a dot, as in "LLD 21.0.0 (...)".
  static func number(in text: String) -> String? {
    text.firstMatch(of: /\d+(\.\d+)+/).map { String($0.0) }
  }
}
