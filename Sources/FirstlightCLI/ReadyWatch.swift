import FirstlightModel
import Foundation

/// Sends this process SIGURG when a recorded program says that it is ready: the runtime makes a file
/// whose name ends in `.ready`.
enum ReadyWatch {
  /// Starts to watch; ends with the process.
  ///
  /// - Throws: `Failure` of kind `system` if the directory cannot be watched.
  static func start(directory: String) throws(Failure) {
    let notifications = inotify_init1(Int32(IN_CLOEXEC))
    guard notifications >= 0, inotify_add_watch(notifications, directory, UInt32(IN_CREATE)) >= 0
    else {
      throw Failure(
        .system, "\(directory): cannot watch it: \(String(cString: strerror(errno)))",
        advice: "raise fs.inotify.max_user_instances, or use --until with a duration")
    }
    Thread.detachNewThread { watch(notifications) }
  }

  private static func watch(_ notifications: Int32) {
    let size = 4096
    let buffer = UnsafeMutableRawPointer.allocate(
      byteCount: size, alignment: MemoryLayout<inotify_event>.alignment)
    defer { buffer.deallocate() }
    while true {
      let count = read(notifications, buffer, size)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return }
      var at = 0
      while at + MemoryLayout<inotify_event>.size <= count {
        let length = Int(buffer.loadUnaligned(fromByteOffset: at, as: inotify_event.self).len)
        let start = at + MemoryLayout<inotify_event>.size
        guard start + length <= count else { break }
        let name = UnsafeRawBufferPointer(start: buffer + start, count: length).prefix { $0 != 0 }
        if String(decoding: name, as: UTF8.self).hasSuffix(".ready") { kill(getpid(), SIGURG) }
        at = start + length
      }
    }
  }
}
