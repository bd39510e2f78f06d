import FirstlightModel
import Glibc

/// A name in a folder that stays open, so that no change of a link can lead the result to another folder.
final class ResultPlace {
  let folder: Int32
  /// The folder in messages.
  let folderPath: String
  let name: String
  /// The file of this name, which may be a link; nil if there is none.
  let status: stat?

  init(_ path: String) throws(Failure) {
    let prefix = ResultTarget.folder(of: path)
    folderPath = prefix.isEmpty ? "." : prefix
    name = String(decoding: path.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    folder = open(folderPath, RegularFile.onlyPlace | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else {
      throw ResultTarget.unwritable(folderPath, "cannot write here: \(ErrorText.of(errno))")
    }
    var status = stat()
    let isThere = fstatat(folder, name.isEmpty ? "." : name, &status, AT_SYMLINK_NOFOLLOW) == 0
    self.status = isThere ? status : nil
  }

  deinit { close(folder) }

  /// The text of a symbolic link with its owner; nil if it is none.
  ///
  /// - Parameter path: the result's path in messages.
  func link(of path: String) throws(Failure) -> (text: String, owner: uid_t)? {
    guard let status, status.st_mode & S_IFMT == S_IFLNK else { return nil }
    let link = openat(folder, name, RegularFile.onlyPlace | O_NOFOLLOW | O_CLOEXEC)
    guard link >= 0 else { throw ResultTarget.unwritable(path) }
    defer { close(link) }
    var own = stat()
    guard fstat(link, &own) == 0 else { throw ResultTarget.unwritable(path) }
    let text = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(PATH_MAX)) { buffer in
      let count = readlinkat(link, "", buffer.baseAddress!, buffer.count)
      return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
    return (text, own.st_uid)
  }
}
