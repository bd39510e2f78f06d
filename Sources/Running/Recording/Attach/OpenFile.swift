import DebugInfo
import FirstlightModel
import Glibc
import SystemSupport

/// A file that processes run or map, held open: it stays the same when its path leads elsewhere, is removed,
/// or belongs to a container.
final class OpenFile {
  /// The path as the process sees it.
  let path: String
  let place: Place
  private let descriptor: Int32

  /// The identity of a file within the machine.
  struct Place: Hashable {
    let device, inode: UInt64

    /// Nil if there is no such file.
    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
  }

  /// Opens a file as a process sees it.
  ///
  /// - Parameters:
  ///   - link: leads to it: `/proc/PID/exe`, a link in `/proc/PID/map_files`, or a path.
  ///   - path: its name for people.
  init(_ link: String, path: String) throws(Failure) {
    self.path = path
    descriptor = open(link, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let error = errno
      let problem = "\(path): cannot be read: \(ErrorText.of(error))"
      guard error == EACCES || error == EPERM else { throw Failure(.noInput, problem) }
      throw Failure(.unavailable, problem, advice: "run firstlight as root or as its user")
    }
    guard let place = Place("/proc/self/fd/\(descriptor)") else {
      throw Failure(.noInput, "\(path): \(ErrorText.of(errno))")
    }
    self.place = place
    beginLease()
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  // MARK: Changes

  private var hasLease = false
  private var changedAt = 0.0

  /// From now on, a process that opens the file for writing waits until this one is closed, at most 45 s (fcntl(2),
  /// "Leases"). Some file systems have no leases.
  private func beginLease() {
    signal(SIGIO, SIG_IGN)
    hasLease = fcntl(descriptor, Self.setLease, F_RDLCK) == 0
    changedAt = modificationTime
  }

  /// Whether a process waits to write to the file.
  var isWanted: Bool { hasLease && fcntl(descriptor, Self.getLease) != F_RDLCK }

  /// Whether a process has written to it.
  var isChanged: Bool { modificationTime != changedAt }

  private var modificationTime: Double {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return 0 }
    return Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
  }

  /// F_SETLEASE and F_GETLEASE of Linux.
  private static let setLease: Int32 = 1024
  private static let getLease: Int32 = 1025

  /// Bytes of its contents; fewer at its end.
  func bytes(at offset: UInt64, _ count: Int) -> [UInt8] {
    FileBytes.read(descriptor, at: offset, count)
  }

  /// A path by which this process and the kernel find the open file.
  var link: String { "/proc/self/fd/\(descriptor)" }

  /// The file's functions. Debug files are searched for here, and in the root of a process that uses
  /// the file.
  func image(seenBy root: ProcessRoot) throws(Failure) -> DebugImage {
    let inside = root.inside(path)
    let paths = [path, root.link + inside]
    return try DebugFiles.image(
      of: paths.first { Place($0) == place } ?? link,
      place: ForeignPlace(root: root.link, path: inside))
  }
}

/// The root directory of a process: a container's, one of chroot(2), or ours.
struct ProcessRoot {
  /// Leads there.
  let link: String
  /// Its path here; empty if it is ours, or a container's that has no path here.
  private let folder: String

  init(of process: some BinaryInteger) {
    link = "/proc/\(process)/root"
    let target = ProcFile.target(of: link) ?? "/"
    folder = target == "/" ? "" : target
  }

  /// The path as the process sees it.
  ///
  /// - Parameter path: the path that the kernel shows us. It begins at our root, or at the container's if
  ///   the file is outside of ours.
  func inside(_ path: String) -> String {
    path.hasPrefix(folder + "/") ? String(path.dropFirst(folder.count)) : path
  }
}
