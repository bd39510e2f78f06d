import CExtendedAttributes
import FirstlightModel
import Glibc

/// Finds the executable of a command.
package enum ProgramPath {
  /// Searches PATH like a shell, unless the name is a path. Fails with `.noInput` if there is no such program.
  package static func find(_ name: String) throws(Failure) -> String {
    if name.containsUTF8("/") { return name }
    let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    for folder in folders.split(at: ":") {
      let path = "\(folder)/\(name)"
      var status = stat()
      if access(path, X_OK) == 0, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
        return path
      }
    }
    throw Failure(
      .noInput, "\(name): not found on PATH",
      advice: access(name, X_OK) == 0 ? "here is ./\(name)" : "use the path of the program")
  }

  /// Whether the kernel would start the program with higher privileges, so that its loader and
  /// libraries ignore the environment (AT_SECURE): set-user-ID, set-group-ID or file capabilities.
  package static func raisesRights(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    if status.st_mode & S_ISUID != 0, status.st_uid != getuid() { return true }
    if status.st_mode & S_ISGID != 0, status.st_mode & S_IXGRP != 0, status.st_gid != getgid() {
      return true
    }
    // Root already has all capabilities.
    return getuid() != 0 && getxattr(path, "security.capability", nil, 0) > 0
  }
}
