import Glibc
import SystemSupport

/// The rights of a program's file, which the kernel does not give to a traced program.
enum LostRights {
  /// The reason for people; nil: the file has no rights, or a traced program gets them too.
  static func of(_ command: String) -> String? {
    // Whoever may trace any process may trace one that gains rights.
    guard geteuid() != 0, let path = try? ProgramPath.find(command) else { return nil }
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let gained: String
    if status.st_mode & S_ISUID != 0, status.st_uid != geteuid() {
      gained = "set-user-ID"
    } else if status.st_mode & S_ISGID != 0, status.st_gid != getegid() {
      gained = "set-group-ID"
    } else {
      return nil
    }
    return
      "\(command) is \(gained): traced starts have only your own rights. Root traces it with all."
  }
}
