import FirstlightModel
import Glibc

/// The kind of file at the path of a result.
enum ResultTarget {
  /// A regular file, or none yet, after resolving symbolic links. A link of another user leads only to that user's
  /// files: otherwise the owner of a folder could have any file overwritten by who writes a result there.
  case file(ResultPlace)
  /// A descriptor of this process, named as /dev/stdout or /dev/fd/N. Opening the path again would
  /// overwrite a redirected file from its start.
  case descriptor(Int32)
  /// A character device or a named pipe.
  case stream(ResultPlace)

  /// - Parameter path: `-` is standard output.
  /// - Throws: `Failure` of kind `cannotCreate` if the path cannot be written to.
  init(_ path: String) throws(Failure) {
    if let number = path == "-" ? STDOUT_FILENO : Self.descriptor(path) {
      self = .descriptor(number)
      return
    }
    var status = stat()
    if stat(path, &status) != 0 {
      guard errno == ENOENT, !path.isEmpty else { throw Self.unwritable(path) }
      if path.utf8.last == Self.slash { throw Self.unwritable(path, "is no file's name") }
    }
    var (place, strangers) = (path, Set<uid_t>())
    for _ in 0..<mostLinks {
      let found = try ResultPlace(place)
      guard let link = try found.link(of: path) else {
        guard strangers.allSatisfy({ $0 == found.status?.st_uid }) else {
          throw Self.unwritable(path, "is another user's link to a file that is not theirs")
        }
        self = try Self.kind(of: found, path)
        return
      }
      if ![0, geteuid()].contains(link.owner) { strangers.insert(link.owner) }
      place = Self.target(link.text, of: place)
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

  private static func target(_ link: String, of place: String) -> String {
    link.utf8.first == slash ? link : folder(of: place) + link
  }

  /// The descriptor of this process that a path leads to.
  private static func descriptor(_ path: String) -> Int32? {
    var place = path
    for _ in 0..<mostLinks {
      if let number = Int32(BaseName.of(place)), number >= 0,
        let folder = AbsolutePath.resolved(folder(of: place)),
        folder == "/proc/\(getpid())/fd" || folder.begins(with: "/proc/\(getpid())/task/")
      {
        return number
      }
      guard let link = ProcFile.target(of: place) else { return nil }
      place = target(link, of: place)
    }
    return nil
  }
}

/// Longest chain of symbolic links, as for the kernel.
private let mostLinks = 40
