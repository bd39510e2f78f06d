import FirstlightModel
import Glibc
import Synchronization

/// A file for a result. Every command writes its results through this type.
///
/// A regular file is replaced in one step: a reader sees either the old or the new file, and a
/// failed write leaves the old one. Its permissions stay. Links are followed. Other kinds of file
/// (a device, a pipe, /dev/fd/N) are written to, never replaced.
package enum ResultFile {
  /// Writes the whole text.
  ///
  /// - Parameter path: `-` is standard output.
  /// - Throws: `Failure` of kind `cannotCreate` naming the file.
  package static func write(_ text: String, to path: String) throws(Failure) {
    try write(Array(text.utf8), to: path)
  }

  /// Writes all bytes.
  package static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
    let target = try ResultTarget(path)
    try target.check(path)
    switch target {
    case .file(let place, let old):
      let temporary = try Temporary(for: place, path)
      try temporary.write(bytes, path)
      try temporary.publish(as: place, like: old, path)
    case .descriptor(let number):
      let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
      guard copy >= 0 else { throw ResultTarget.unwritable(path) }
      try put(bytes, into: copy, path)
    case .stream:
      // With O_CREAT, the kernel refuses other users' pipes and devices in shared folders.
      let file = open(path, O_WRONLY | O_CREAT | O_NOCTTY | O_CLOEXEC, 0o666)
      guard file >= 0 else { throw ResultTarget.unwritable(path) }
      try put(bytes, into: file, path)
    }
  }

  /// Calls `make` to fill the file at the given path, which exists and is empty.
  ///
  /// - Throws: any error of `make`, or `Failure` of kind `cannotCreate`.
  package static func write(to path: String, by make: (String) throws -> Void) throws {
    let target = try ResultTarget(path)
    try target.check(path)
    if case .file(let place, let old) = target {
      let temporary = try Temporary(for: place, path)
      try make(temporary.path)
      return try temporary.publish(as: place, like: old, path)
    }
    let folder = try SpoolDirectory()
    defer { folder.remove() }
    let whole = "\(folder.path)/result"
    close(open(whole, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
    try make(whole)
    let bytes: [UInt8]
    do { bytes = try FileContents.read(whole) } catch {
      throw ResultTarget.unwritable(path, error.text)
    }
    try write(bytes, to: path)
  }

  /// Fails with `.cannotCreate` if a result could not be written to one of the paths now: for
  /// commands that take long. Leaves no trace, and does not wait for a pipe's reader.
  package static func checkWritable(_ paths: String?...) throws(Failure) {
    for case let path? in paths {
      let target = try ResultTarget(path)
      try target.check(path)
      // Quotas and attributes take effect only when a file is created.
      if case .file(let place, _) = target { _ = try Temporary(for: place, path) }
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
  package static func removeUnfinished() { Temporary.removeAll() }

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
  fileprivate static func put(
    _ bytes: [UInt8], into file: Int32, _ path: String
  ) throws(Failure) {
    // If the reader closed the pipe, the write fails with a message instead of ending this process.
    let before = signal(SIGPIPE, SIG_IGN)
    defer { signal(SIGPIPE, before) }
    do throws(SystemError) {
      try FileContents.write(bytes, to: file)
    } catch {
      close(file)
      errno = error.code
      throw ResultTarget.unwritable(path)
    }
    guard close(file) == 0 else { throw ResultTarget.unwritable(path) }
  }
}

/// An unfinished result in the same folder. The file is removed with this object, unless it was published.
private final class Temporary {
  let path: String
  private static let living = Mutex<Set<String>>([])

  init(for place: String, _ result: String) throws(Failure) {
    // The name is short, since the result's own may be as long as names can be.
    let stem = "\(ResultTarget.folder(of: place)).firstlight-\(getpid())"
    var number = 0
    while true {
      let path = "\(stem)-\(number).partial"
      let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      if file >= 0 {
        close(file)
        self.path = path
        break
      }
      guard errno == EEXIST else { throw ResultTarget.unwritable(result) }
      number += 1
    }
    Self.living.withLock { [path] in _ = $0.insert(path) }
  }

  deinit { if Self.living.withLock({ $0.remove(path) }) != nil { unlink(path) } }

  static func removeAll() {
    living.withLock {
      for path in $0 { unlink(path) }
      $0 = []
    }
  }

  func write(_ bytes: [UInt8], _ result: String) throws(Failure) {
    let file = open(path, O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { throw ResultTarget.unwritable(result) }
    try ResultFile.put(bytes, into: file, result)
  }

  /// Moves the file to its place, with the owner and permissions of the file that it replaces.
  func publish(as place: String, like old: stat?, _ result: String) throws(Failure) {
    if let old {
      // Only root can keep another user's ownership.
      if chown(path, old.st_uid, old.st_gid) != 0 { _ = chown(path, uid_t.max, old.st_gid) }
      guard chmod(path, old.st_mode & 0o777) == 0 else { throw ResultTarget.unwritable(result) }
    }
    guard rename(path, place) == 0 else { throw ResultTarget.unwritable(result) }
    _ = Self.living.withLock { [path] in $0.remove(path) }
  }
}
