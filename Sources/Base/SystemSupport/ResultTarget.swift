import FirstlightModel
import Glibc

/// The kind of file at the path of a result.
enum ResultTarget {
  /// A regular file, or none yet, after resolving symbolic links.
  case file(ResultPlace)
  /// A descriptor of this process, named as /dev/stdout or /dev/fd/N. Opening the path again would
  /// overwrite a redirected file from its start.
  case descriptor(Int32)
  /// A character device or a named pipe.
  case stream(ResultPlace)

  /// - Parameter path: `-` is standard output.
  /// - Throws: `Failure` of kind `cannotCreate` if the path cannot be written to.
  init(_ path: String) throws(Failure) {
    if path == "-" {
      self = .descriptor(STDOUT_FILENO)
      return
    }
    var status = stat()
    if stat(path, &status) != 0 {
      guard errno == ENOENT, !path.isEmpty else { throw Self.unwritable(path) }
      if path.utf8.last == Self.slash { throw Self.unwritable(path, "is no file's name") }
    }
    var place = path
    for _ in 0..<40 {
      if let number = Self.descriptor(place) {
        self = .descriptor(number)
        return
      }
      let found = try ResultPlace(place)
      guard let link = try found.link(of: path) else {
        self = try Self.kind(of: found, path)
        return
      }
      place = link.utf8.first == Self.slash ? link : Self.folder(of: place) + link
    }
    errno = ELOOP
    throw Self.unwritable(path)
  }

  private static func kind(of place: ResultPlace, _ path: String) throws(Failure) -> ResultTarget {
    switch place.status.map({ $0.st_mode & S_IFMT }) ?? S_IFREG {
    case S_IFREG: return .file(place)
    case S_IFCHR, S_IFIFO: return .stream(place)
    case S_IFDIR: throw unwritable(path, "is a directory")
    case S_IFBLK: throw unwritable(path, "is a block device")
    default: throw unwritable(path, "is a socket")
    }
  }

  /// Fails if a result could not be written there now.
  func check(_ path: String) throws(Failure) {
    switch self {
    case .file(let place):
      guard faccessat(place.folder, ".", W_OK | X_OK, 0) == 0 else {
        throw Self.unwritable(place.folderPath, "cannot write here: \(ErrorText.of(errno))")
      }
      // Replacing the file would bypass its owner's permissions.
      guard place.status == nil || faccessat(place.folder, place.name, W_OK, 0) == 0 else {
        throw Self.unwritable(path)
      }
    case .descriptor(let number):
      let flags = fcntl(number, F_GETFL)
      if flags >= 0, [O_WRONLY, O_RDWR].contains(flags & O_ACCMODE) { return }
      errno = EBADF
      throw Self.unwritable(path)
    case .stream(let place):
      guard faccessat(place.folder, place.name, W_OK, 0) == 0 else { throw Self.unwritable(path) }
    }
  }

  /// The folder with a trailing slash; empty for the working directory.
  static func folder(of path: String) -> String {
    let name = path.utf8.reversed().prefix { $0 != slash }
    return String(decoding: path.utf8.dropLast(name.count), as: UTF8.self)
  }

  private static let slash = UInt8(ascii: "/")

  /// - Parameter problem: nil for the message of `errno`.
  static func unwritable(_ path: String, _ problem: String? = nil) -> Failure {
    Failure(
      .cannotCreate, "\(path): \(problem ?? "cannot write: \(ErrorText.of(errno))")",
      advice: "choose another place")
  }

  private static func descriptor(_ path: String) -> Int32? {
    guard let number = Int32(BaseName.of(path)), number >= 0,
      let folder = AbsolutePath.resolved(folder(of: path)),
      folder == "/proc/\(getpid())/fd" || folder.hasPrefix("/proc/\(getpid())/task/")
    else { return nil }
    return number
  }
}

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

  /// The target of a symbolic link; nil if it is none.
  ///
  /// A link of another user leads only to that user's files. Otherwise the owner of a folder could have any file
  /// overwritten by the next user who writes a result there.
  func link(of path: String) throws(Failure) -> String? {
    guard let status, status.st_mode & S_IFMT == S_IFLNK else { return nil }
    let link = openat(folder, name, RegularFile.onlyPlace | O_NOFOLLOW | O_CLOEXEC)
    guard link >= 0 else { throw ResultTarget.unwritable(path) }
    defer { close(link) }
    var (own, target) = (stat(), stat())
    guard fstat(link, &own) == 0 else { throw ResultTarget.unwritable(path) }
    let isTheirs =
      fstatat(folder, name, &target, 0) == 0 && target.st_uid == own.st_uid
    guard [0, geteuid()].contains(own.st_uid) || isTheirs else {
      throw ResultTarget.unwritable(path, "is another user's link to a file that is not theirs")
    }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(PATH_MAX)) { buffer in
      let count = readlinkat(link, "", buffer.baseAddress!, buffer.count)
      return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
  }
}
