import CExtendedAttributes
import FirstlightModel
import Glibc
import Synchronization

/// A file for a result. Every command writes its results through this type.
///
/// A regular file is replaced in one step: a reader sees either the old or the new file, and a
/// failed write leaves the old one. Its permissions stay. Links are followed, but another user's only
/// to that user's files. Other kinds of file (a device, a pipe, /dev/fd/N) are written to, never
/// replaced.
package enum ResultFile {
  /// Writes the whole text.
  ///
  /// - Parameter path: `-` is standard output.
  /// - Throws: `Failure` of kind `cannotCreate` naming the file.
  package static func write(_ text: String, to path: String) throws(Failure) {
    try write(Array(text.utf8), to: path)
  }

  package static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
    let written = bytes.withUnsafeBytes { bytes in
      Result { () throws(Failure) in try write(bytes, to: path) }
    }
    try written.get()
  }

  /// Writes all bytes.
  package static func write(_ bytes: UnsafeRawBufferPointer, to path: String) throws(Failure) {
    let target = try ResultTarget(path)
    try target.check(path)
    switch target {
    case .file(let place): try UnfinishedResult(at: place, path).publish(bytes, path)
    case .descriptor(let number):
      let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
      guard copy >= 0 else { throw ResultTarget.unwritable(path) }
      try put(bytes, into: copy, path)
    case .stream(let place):
      // With O_CREAT, the kernel refuses other users' pipes and devices in shared folders.
      let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC
      let file = openat(place.folder, place.name, flags, 0o600)
      guard file >= 0 else { throw ResultTarget.unwritable(path) }
      var status = stat()
      guard fstat(file, &status) == 0, [S_IFCHR, S_IFIFO].contains(status.st_mode & S_IFMT) else {
        close(file)
        throw ResultTarget.unwritable(path, "was replaced meanwhile")
      }
      try put(bytes, into: file, path)
    }
  }

  /// Fails with `.cannotCreate` if a result could not be written to one of the paths now: for
  /// commands that take long. Leaves no trace, and does not wait for a pipe's reader.
  package static func checkWritable(_ paths: String?...) throws(Failure) {
    for case let path? in paths {
      let target = try ResultTarget(path)
      try target.check(path)
      // Quotas and attributes take effect only when a file is created.
      if case .file(let place) = target { _ = try UnfinishedResult(at: place, path) }
    }
  }

  /// The path with a suffix; nil if it is no regular file, so that no file can lie beside it.
  package static func neighbour(of path: String?, _ ending: String) -> String? {
    path.flatMap { isFile($0) ? $0 + ending : nil }
  }

  /// Whether the path is a regular file or does not exist yet: other files can lie beside it.
  package static func isFile(_ path: String) -> Bool {
    if case .file? = try? ResultTarget(path) { true } else { false }
  }

  /// Removes unfinished results before the process ends early.
  package static func removeUnfinished() { UnfinishedResult.removeAll() }

  /// The first of `NAME.EXT`, `NAME-2.EXT` and so on that does not exist.
  package static func unused(_ name: String, extension fileExtension: String) -> String {
    var path = "\(name).\(fileExtension)"
    var number = 2
    // lstat, unlike access, also finds a dangling link.
    var status = stat()
    while lstat(path, &status) == 0 {
      path = "\(name)-\(number).\(fileExtension)"
      number += 1
    }
    return path
  }

  /// Writes everything and closes the descriptor.
  private static func put(
    _ bytes: UnsafeRawBufferPointer, into file: Int32, _ path: String
  ) throws(Failure) {
    // If the reader closed the pipe, the write fails with a message instead of ending this process.
    let before = signal(SIGPIPE, SIG_IGN)
    defer { signal(SIGPIPE, before) }
    do throws(SystemError) {
      try FileContents.write(bytes, to: file)
    } catch {
      close(file)
      throw ResultTarget.unwritable(path, "cannot write: \(error.text)")
    }
    guard close(file) == 0 else { throw ResultTarget.unwritable(path) }
  }
}

/// An unfinished result in the folder of its place. Only the descriptor that created it writes to it and changes it,
/// because the folder's owner can put another file under its name. The file is removed with this object, unless it was
/// published.
private final class UnfinishedResult {
  private let place: ResultPlace
  private let name: Name
  private let file: Int32
  private static let living = Mutex<Set<Name>>([])

  private struct Name: Hashable {
    var folder: Int32
    var text: String

    func remove() { unlinkat(folder, text, 0) }
  }

  init(at place: ResultPlace, _ result: String) throws(Failure) {
    self.place = place
    var number = 0
    while true {
      // The name is short, since the result's own may be as long as names can be.
      let text = ".firstlight-\(getpid())-\(number).partial"
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
      // A file that replaces another one gets that one's permissions when it is complete.
      let file = openat(place.folder, text, flags, place.status == nil ? 0o666 : 0o600)
      if file >= 0 {
        self.file = file
        name = Name(folder: place.folder, text: text)
        break
      }
      guard errno == EEXIST else { throw ResultTarget.unwritable(result) }
      number += 1
    }
    Self.living.withLock { [name] in _ = $0.insert(name) }
  }

  deinit {
    if Self.living.withLock({ $0.remove(name) }) != nil { name.remove() }
    close(file)
  }

  static func removeAll() {
    living.withLock {
      for name in $0 { name.remove() }
      $0 = []
    }
  }

  /// Writes the file and moves it to its place, with the owner and permissions of the file that it replaces.
  func publish(_ bytes: UnsafeRawBufferPointer, _ result: String) throws(Failure) {
    do throws(SystemError) { try FileContents.write(bytes, to: file) } catch {
      throw ResultTarget.unwritable(result, "cannot write: \(error.text)")
    }
    // Closing a copy reports what a network's file system has not written yet.
    guard close(fcntl(file, F_DUPFD_CLOEXEC, 0)) == 0 else {
      throw ResultTarget.unwritable(result)
    }
    if let old = place.status {
      // Only root can keep another user's ownership.
      if fchown(file, old.st_uid, old.st_gid) != 0 { _ = fchown(file, uid_t.max, old.st_gid) }
      guard copyPermissions(old.st_mode & 0o777) else { throw ResultTarget.unwritable(result) }
    }
    guard renameat(place.folder, name.text, place.folder, place.name) == 0 else {
      throw ResultTarget.unwritable(result)
    }
    _ = Self.living.withLock { [name] in $0.remove(name) }
    var (own, published) = (stat(), stat())
    guard fstat(file, &own) == 0,
      fstatat(place.folder, place.name, &published, AT_SYMLINK_NOFOLLOW) == 0,
      (own.st_dev, own.st_ino) == (published.st_dev, published.st_ino)
    else { throw ResultTarget.unwritable(result, "was replaced meanwhile") }
  }

  /// Gives the file the permissions of the one that it replaces, with its access control list.
  ///
  /// With a list, the mode's bits for the group are the list's mask, which may allow more than the group's entry does
  /// (acl(5)). A list that the folder gave the new file is removed.
  private func copyPermissions(_ mode: mode_t) -> Bool {
    let list = "system.posix_acl_access"
    let old = "/proc/self/fd/\(place.folder)/\(place.name)"
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = lgetxattr(old, list, &bytes, bytes.count)
    fremovexattr(file, list)
    guard fchmod(file, count > 0 ? mode & 0o707 : mode) == 0 else { return false }
    return count <= 0 || fsetxattr(file, list, bytes, count, 0) == 0
  }
}
