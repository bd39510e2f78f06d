import DebugInfo
import FirstlightModel
import FleetModel
import Glibc
import WorkerSandbox

/// A regular file that is open for reading.
package final class BuildFile: Sendable {
  /// Owned by this object.
  let descriptor: CInt
  package let path: String
  package let size: Int
  /// Identifies the file and its contents: changes if either changes.
  package let identity: String

  /// Opens a regular file; devices, FIFOs and kernel files are not touched.
  ///
  /// - Parameter trusted: whether the path comes from us. Any other path must not lead elsewhere: in
  ///   its last part, only links to a name in the same folder are followed, as for versioned libraries.
  /// - Throws: `.noInput` if the file does not exist or cannot be read, `.data` if its kind is
  ///   refused.
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

  /// - Parameter descriptor: open for reading; this object owns it, even if the call fails.
  package init(adopting descriptor: CInt, path: String) throws(Failure) {
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

  /// The folder in which the file was opened.
  var folder: String { String(path[..<(path.lastIndex(ofUTF8: "/") ?? path.startIndex)]) }

  private static let linkLimit = 4

  /// The target of a link, if it is a name in the same folder.
  private static func target(of link: CInt, path: String) throws(Failure) -> String {
    let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer -> String? in
      let count = readlinkat(link, "", buffer.baseAddress!, buffer.count)
      guard count > 0, count < buffer.count else { return nil }
      return String(
        validating: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]),
        as: UTF8.self)
    }
    guard let name, !name.containsUTF8("/"), name != "..", name != ".",
      let end = path.lastIndex(ofUTF8: "/")
    else { throw Failure(.data, "\(path): a symbolic link out of its directory") }
    return path[...end] + name
  }

  private static func failure(_ path: String) -> Failure {
    Failure(.noInput, "\(path): cannot be opened: \(ErrorText.of(errno))")
  }
}

extension FunctionTable {
  /// The functions of a build, and other names of its code. Without guards and entry hooks, these are the
  /// functions that breakpoints and probes watch.
  ///
  /// - Parameter watched: whether breakpoints or probes watched the image, whatever it was built with.
  /// - Throws: `.data` if the image has no functions.
  package init(
    of image: DebugImage, recordedPath: String, watched: Bool = false
  ) throws(Failure) {
    var build: Build
    if !watched, image.isInstrumented {
      build = try image.build(recordedPath: recordedPath)
    } else if !watched, image.hasEntryHooks {
      build = try image.entryHookBuild(recordedPath: recordedPath)
    } else {
      build = image.symbolBuild(recordedPath: recordedPath)
      try image.checkUnchanged()
      guard !build.guarded.isEmpty else {
        throw Failure(.data, "\(recordedPath): has neither symbols nor unwind tables")
      }
    }
    // The runtime's own debug information does not count.
    build.hasDebugInfo = build.guarded.contains { $0.file != nil || $0.isCompilerGenerated }
    let entries = Set(build.guarded.compactMap(\.address))
    let bodies = image.symbols.all.filter { !entries.contains($0.address) }.map {
      CodeBody(address: $0.address, size: $0.size, name: $0.name)
    }
    self.init(build: build, bodies: bodies)
  }
}

/// The reason why a build's file gave no function table.
package enum BuildReadError: Error, Hashable, Sendable {
  /// The file is unsuitable: not a binary, without functions, or visibly damaged.
  case unfit(Failure)
  /// The reader had to be stopped, crashed or gave an invalid answer, with the reason.
  case stopped(String)
  /// The file was not tried.
  case unavailable(Failure)
}
