import FirstlightModel
import Glibc

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
