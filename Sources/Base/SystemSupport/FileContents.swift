import FirstlightModel
import Glibc

/// The whole of a file, whatever size it says it has: files of /proc and pipes say 0.
package enum FileContents {
  /// What the system said no to.
  package struct SystemError: Error {
    /// As in `errno`.
    package let code: Int32

    package var text: String { ErrorText.of(code) }
  }

  package static func read(_ path: String) throws(SystemError) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw SystemError(code: errno) }
    defer { close(file) }
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
    defer { room.deallocate() }
    var bytes: [UInt8] = []
    while true {
      let count = Glibc.read(file, room.baseAddress, room.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw SystemError(code: errno) }
      if count == 0 { return bytes }
      bytes += room[..<count]
    }
  }
}
