import FirstlightModel
import Glibc

/// The kind of file at the path of a result.
enum ResultTarget {
  /// A regular file, or none yet. `place` is the file's path after resolving symbolic links.
  case file(place: String, old: stat?)
  /// A descriptor of this process, named as /dev/stdout or /dev/fd/N. Opening the path again would
  /// overwrite a redirected file from its start.
  case descriptor(Int32)
  /// A character device or a named pipe.
  case stream

  /// - Parameter path: `-` is standard output.
  /// - Throws: `Failure` of kind `cannotCreate` if the path cannot be written to.
  init(_ path: String) throws(Failure) {
    if path == "-" {
      self = .descriptor(STDOUT_FILENO)
      return
    }
    // The kernel refuses other users' links in shared folders; resolving them with readlink would not.
    var status = stat()
    let exists = stat(path, &status) == 0
    guard exists || errno == ENOENT && !path.isEmpty else { throw Self.unwritable(path) }
    var place = path
    for _ in 0..<40 {
      if let number = Self.descriptor(place) {
        self = .descriptor(number)
        return
      }
      guard let next = ProcFile.target(of: place) else { break }
      place = next.hasPrefix("/") ? next : Self.folder(of: place) + next
    }
    switch exists ? status.st_mode & S_IFMT : S_IFREG {
    case S_IFREG where place.hasSuffix("/"): throw Self.unwritable(path, "is no file's name")
    case S_IFREG: self = .file(place: place, old: exists ? status : nil)
    case S_IFCHR, S_IFIFO: self = .stream
    case S_IFDIR: throw Self.unwritable(path, "is a directory")
    case S_IFBLK: throw Self.unwritable(path, "is a block device")
    default: throw Self.unwritable(path, "is a socket")
    }
  }

  /// Fails if a result could not be written there now.
  func check(_ path: String) throws(Failure) {
    switch self {
    case .file(let place, let old):
      let folder = Self.folder(of: place)
      guard access(folder.isEmpty ? "." : folder, W_OK | X_OK) == 0 else {
        throw Self.unwritable(
          folder.isEmpty ? "." : folder, "cannot write here: \(ErrorText.of(errno))")
      }
      // Replacing the file would bypass its owner's permissions.
      guard old == nil || access(place, W_OK) == 0 else { throw Self.unwritable(path) }
    case .descriptor(let number):
      let flags = fcntl(number, F_GETFL)
      if flags >= 0, [O_WRONLY, O_RDWR].contains(flags & O_ACCMODE) { return }
      errno = EBADF
      throw Self.unwritable(path)
    case .stream: guard access(path, W_OK) == 0 else { throw Self.unwritable(path) }
    }
  }

  /// The folder with a trailing slash; empty for the working directory.
  static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }

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
