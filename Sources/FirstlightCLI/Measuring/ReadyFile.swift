import FirstlightModel
import Glibc

/// Watches for the file that the runtime makes when its program says that it is ready.
///
/// `record` has its own watch (ReadyWatch), which wakes it by a signal; here a descriptor is waited
/// for together with the program's end.
final class ReadyFile {
  let descriptor: Int32
  let directory: SpoolDirectory

  init() throws(Failure) {
    directory = try SpoolDirectory()
    descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard descriptor >= 0,
      inotify_add_watch(descriptor, directory.path, UInt32(IN_CREATE | IN_MOVED_TO)) >= 0
    else {
      directory.remove()
      throw Failure(
        .system, "\(directory.path): cannot watch it: \(String(cString: strerror(errno)))",
        advice: "raise fs.inotify.max_user_instances, or use --until with a port or a duration")
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    directory.remove()
  }

  /// Reads what has happened in the directory; whether a ready file is among it.
  func wasMade() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
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
        let name = buffer[start..<start + length].prefix { $0 != 0 }
        if name.reversed().starts(with: ".ready".utf8.reversed()) { found = true }
        at = start + length
      }
    }
  }
}
