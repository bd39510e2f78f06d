import FirstlightModel
import Glibc

/// Lists a directory's contents. Names are texts of the system's bytes (`String.withSystemText`).
package enum DirectoryListing {
  /// All names but `.` and `..`, in the system's order.
  package static func names(in path: String) throws(SystemError) -> [String] {
    guard let directory = opendir(path) else { throw SystemError(code: errno) }
    defer { closedir(directory) }
    return try names(directory)
  }

  /// Lists an open directory from its beginning; the descriptor stays open.
  package static func names(of descriptor: Int32) throws(SystemError) -> [String] {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard let directory = fdopendir(copy) else {
      let code = errno
      close(copy)
      throw SystemError(code: code)
    }
    defer { closedir(directory) }
    // Both descriptors share the read position.
    rewinddir(directory)
    return try names(directory)
  }

  /// All names, as `names(in:)`, each with whether it is a directory.
  package static func entries(
    in path: String
  ) throws(SystemError) -> [(name: String, isDirectory: Bool)] {
    guard let directory = opendir(path) else { throw SystemError(code: errno) }
    defer { closedir(directory) }
    var entries: [(name: String, isDirectory: Bool)] = []
    try forEach(in: directory) { name, type in
      var isDirectory = type == UInt8(DT_DIR)
      if type == UInt8(DT_UNKNOWN) {
        var status = stat()
        isDirectory = lstat("\(path)/\(name)", &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      }
      entries.append((name, isDirectory))
    }
    return entries
  }

  private static func names(_ directory: OpaquePointer) throws(SystemError) -> [String] {
    var names: [String] = []
    try forEach(in: directory) { name, _ in names.append(name) }
    return names
  }

  /// Calls `body` with each name and the type that the file system gives (`d_type` of readdir(3)).
  private static func forEach(
    in directory: OpaquePointer, _ body: (String, UInt8) -> Void
  ) throws(SystemError) {
    while true {
      errno = 0
      guard let entry = readdir(directory) else {
        if errno != 0 { throw SystemError(code: errno) }
        return
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(systemText: $0) }
      }
      if name != ".", name != ".." { body(name, entry.pointee.d_type) }
    }
  }
}

/// Records new files in a directory, created or moved there, and the removal of the directory (inotify(7)).
package final class DirectoryWatch: Sendable {
  /// Readable when there are events. Owned by this object.
  package let descriptor: Int32

  package init(_ path: String) throws(SystemError) {
    descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard descriptor >= 0 else { throw SystemError(code: errno) }
    let events = UInt32(IN_CREATE | IN_MOVED_TO | IN_MOVE_SELF | IN_DELETE_SELF)
    guard inotify_add_watch(descriptor, path, events) >= 0 else { throw SystemError(code: errno) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Removes all pending events. The kernel discards events when its queue is full.
  ///
  /// - Parameter isAwaited: called with each name.
  /// - Returns: whether `isAwaited` returned true for a name.
  @discardableResult
  package func take(_ isAwaited: (ArraySlice<UInt8>) -> Bool = { _ in false }) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65536)
    var found = false
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return found }
      var at = 0
      while at + MemoryLayout<inotify_event>.size <= count {
        let length = buffer.withUnsafeBytes {
          Int($0.loadUnaligned(fromByteOffset: at, as: inotify_event.self).len)
        }
        let start = at + MemoryLayout<inotify_event>.size
        guard start + length <= count else { break }
        if isAwaited(buffer[start..<start + length].prefix { $0 != 0 }) { found = true }
        at = start + length
      }
    }
  }
}
