import Glibc
import SystemSupport

/// The rights of a program's file, which the kernel does not give to a traced program.
enum LostRights {
  /// A note for people; nil: the file has no rights, or a traced program gets them too.
  static func of(_ command: String) -> String? {
    // Root may trace programs that gain rights.
    guard geteuid() != 0, let path = try? ProgramPath.find(command), ProgramPath.raisesRights(path)
    else {
      return nil
    }
    return "\(command) gains rights when it starts (set-user-ID, set-group-ID or capabilities): "
      + "traced starts have only your own. Root traces it with all."
  }
}
