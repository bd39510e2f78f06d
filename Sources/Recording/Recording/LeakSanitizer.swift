import DebugInfo
import FirstlightModel
import ProcessControl
import Synchronization
import SystemSupport

/// LeakSanitizer traces its own process at the end. In a process that we trace, it fails, and the program ends with
/// another exit status.
enum LeakSanitizer {
  private static let known = Mutex<[TextBytes: Bool]>([:])

  /// The environment for a traced start of a program. It disables LeakSanitizer if the program has it, with a warning.
  static func environment(
    _ environment: ProgramEnvironment, of program: String
  ) -> ProgramEnvironment {
    let (isThere, isNews) = known.withLock { known in
      if let isThere = known[program] { return (isThere, false) }
      let isThere = isIn(program)
      known[program] = isThere
      return (isThere, isThere)
    }
    if isNews {
      Terminal.report(
        "warning: \(program): LeakSanitizer cannot run in a traced program, so it is off "
          + "(LSAN_OPTIONS=detect_leaks=0)")
    }
    return isThere ? environment.adding(option: "detect_leaks=0", to: "LSAN_OPTIONS") : environment
  }

  /// LeakSanitizer's function that looks for leaks.
  private static let leakCheck = "__lsan_do_leak_check"

  private static func isIn(_ program: String) -> Bool {
    guard let path = try? ProgramPath.find(program),
      let image = try? DebugImage(path: path, debugDirectories: [])
    else { return false }
    // A statically linked LeakSanitizer starts from this list. Few programs have the list, and reading all symbols
    // of a large program takes long.
    let mayBeStatic = image.elf.bytes(ofSection: ".preinit_array") != nil
    return image.elf.neededLibraries.contains { $0.containsUTF8("asan") || $0.containsUTF8("lsan") }
      || mayBeStatic && image.symbols.contains(leakCheck)
  }
}
