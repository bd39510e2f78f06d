import CExtendedAttributes
import FirstlightModel
import Glibc

/// Where a command's program is.
package enum ProgramPath {
  /// As a shell finds it: on PATH, unless it is a path. Fails with `.noInput` if it is nowhere.
  package static func find(_ name: String) throws(Failure) -> String {
    if name.contains("/") { return name }
    let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    for folder in folders.split(separator: ":") {
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

  /// Whether the kernel would start the program with other rights than ours, so that its loader and its
  /// libraries ignore what the environment says (AT_SECURE): set-user-ID, set-group-ID, or capabilities
  /// of its file.
  package static func raisesRights(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    if status.st_mode & S_ISUID != 0, status.st_uid != getuid() { return true }
    if status.st_mode & S_ISGID != 0, status.st_mode & S_IXGRP != 0, status.st_gid != getgid() {
      return true
    }
    // Root has all capabilities already.
    return getuid() != 0 && getxattr(path, "security.capability", nil, 0) > 0
  }
}
