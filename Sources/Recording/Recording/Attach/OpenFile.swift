import DebugInfo
import FirstlightModel
import Glibc
import SystemSupport

/// A file that processes run or map, held open: it stays the same when its path leads elsewhere, is removed,
/// or belongs to a container.
final class OpenFile {
  /// The path as the process sees it.
  let path: String
  let place: FilePlace
  private let descriptor: Int32

  /// Opens a file as a process sees it.
  ///
  /// - Parameters:
  ///   - link: leads to it: `/proc/PID/exe`, a link in `/proc/PID/map_files`, or a path.
  ///   - path: its name for people.
  init(_ link: String, path: String) throws(Failure) {
    self.path = path
    do { descriptor = try RegularFile.open(link).descriptor } catch {
      let problem = "\(path): cannot be read: \(error.text)"
      guard [EACCES, EPERM].contains(error.code) else { throw Failure(.noInput, problem) }
      throw Failure(.unavailable, problem, advice: "run firstlight as root or as its user")
    }
    guard let place = FilePlace("/proc/self/fd/\(descriptor)") else {
      throw Failure(.noInput, "\(path): \(ErrorText.of(errno))")
    }
    self.place = place
    lease = FileLease(descriptor)
    changedAt = Self.modificationTime(descriptor)
  }

  deinit { close(descriptor) }

  // MARK: Changes

  private let lease: FileLease?
  private let changedAt: Int

  /// Whether a process waits to write to the file, at most 45 s.
  var isWanted: Bool { lease?.isWanted ?? false }

  /// Whether a process has written to it.
  var isChanged: Bool { Self.modificationTime(descriptor) != changedAt }

  private static func modificationTime(_ descriptor: Int32) -> Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? FileTime.changed(status) : 0
  }

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
      of: paths.first { FilePlace($0) == place } ?? link,
      place: ForeignPlace(root: root.link, path: inside))
  }
}

/// The root directory of a process: a container's, one of chroot(2), or ours.
struct ProcessRoot {
  /// Leads there.
  let link: String
  /// Its path here; empty if it is ours, or a container's that has no path here.
  private let folder: String

  init(of process: some FixedWidthInteger) {
    link = LiveProcess.folder(of: process) + "/root"
    let target = ProcFile.target(of: link) ?? "/"
    folder = target == "/" ? "" : target
  }

  /// The path as the process sees it.
  ///
  /// - Parameter path: the path that the kernel shows us. It begins at our root, or at the container's if
  ///   the file is outside of ours.
  func inside(_ path: String) -> String {
    path.removing(prefix: folder + "/").map { "/" + $0 } ?? path
  }
}
