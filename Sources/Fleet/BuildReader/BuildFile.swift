import DebugInfo
import FirstlightModel
import FleetModel
import Glibc
import WorkerSandbox

/// A regular file that is open for reading.
package final class BuildFile: Sendable {
  /// Ours until this object goes.
  let descriptor: CInt
  package let path: String
  package let size: Int
  /// Tells it from every other file, and its contents from earlier ones: another text once either has
  /// changed.
  package let identity: String

  /// Opens a regular file; a device, a FIFO or a file of the kernel's is not touched.
  ///
  /// - Parameter trusted: whether we made the path ourselves. Any other path must not lead elsewhere: in its
  ///   last part, only links to a name in the same folder are followed, as versioned libraries have them.
  /// - Throws: `.noInput` if there is no such file or it cannot be read, `.data` if it is not one that
  ///   we open.
  package convenience init(path: String, trusted: Bool = false) throws(Failure) {
    var path = path
    for _ in 0..<Self.linkLimit {
      let place = fl_open_path(path, trusted)
      guard place >= 0 else { throw Self.failure(path) }
      defer { close(place) }
      var status = stat()
      guard fstat(place, &status) == 0 else { throw Self.failure(path) }
      if status.st_mode & S_IFMT == S_IFLNK {
        path = try Self.target(of: place, path: path)
        continue
      }
      guard status.st_mode & S_IFMT == S_IFREG, status.st_size > 0, !fl_is_kernel_file(place) else {
        throw Failure(.data, "\(path): not a regular file, or empty")
      }
      let file = fl_reopen(place)
      guard file >= 0 else { throw Self.failure(path) }
      try self.init(adopting: file, path: path)
      return
    }
    throw Failure(.data, "\(path): too many symbolic links")
  }

  /// - Parameter descriptor: open for reading; becomes ours, also if this fails.
  init(adopting descriptor: CInt, path: String) throws(Failure) {
    self.descriptor = descriptor
    self.path = path
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let failure = Self.failure(path)
      close(descriptor)
      throw failure
    }
    size = Int(status.st_size)
    let (modified, changed) = (status.st_mtim, status.st_ctim)
    identity =
      "\(status.st_dev):\(status.st_ino):\(status.st_size):\(modified.tv_sec).\(modified.tv_nsec)"
      + ":\(changed.tv_sec).\(changed.tv_nsec)"
  }

  deinit { close(descriptor) }

  /// The folder it was opened in.
  var folder: String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }

  private static let linkLimit = 4

  /// Where a link leads, if that is a name in its own folder.
  private static func target(of link: CInt, path: String) throws(Failure) -> String {
    let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer -> String? in
      let count = readlinkat(link, "", buffer.baseAddress!, buffer.count)
      guard count > 0, count < buffer.count else { return nil }
      return String(
        validating: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]),
        as: UTF8.self)
    }
    guard let name, !name.contains("/"), name != "..", name != ".",
      let end = path.lastIndex(of: "/")
    else { throw Failure(.data, "\(path): a symbolic link out of its directory") }
    return path[...end] + name
  }

  private static func failure(_ path: String) -> Failure {
    Failure(.noInput, "\(path): cannot be opened: \(ErrorText.of(errno))")
  }
}

extension FunctionTable {
  /// The functions of a build with guards, and what else names its code.
  /// - Throws: `.data` if it has no guards.
  package init(of image: DebugImage, recordedPath: String) throws(Failure) {
    var build = try image.build(recordedPath: recordedPath)
    // The runtime's own debug information says nothing of the program.
    build.hasDebugInfo = build.functions.contains { $0.file != nil || $0.isCompilerGenerated }
    let entries = Set(build.functions.compactMap(\.address))
    let bodies = image.functionSymbols.filter { !entries.contains($0.address) }.map {
      CodeBody(address: $0.address, size: $0.size, name: $0.name)
    }
    self.init(build: build, bodies: bodies)
  }
}

/// Why a build's file gave no function table.
package enum BuildReadError: Error, Hashable, Sendable {
  /// It cannot give one: not a binary, without guards, damaged in a way that its reader noticed.
  case unfit(Failure)
  /// Its reader had to be stopped, crashed or talked nonsense, for this reason.
  case stopped(String)
  /// It was not tried.
  case unavailable(Failure)
}
