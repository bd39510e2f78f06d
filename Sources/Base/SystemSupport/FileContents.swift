import Glibc

/// The whole of a file, whatever size it says it has: files of /proc and pipes say 0.
package enum FileContents {
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

  /// Writes all bytes to a descriptor that waits, in as many steps as it takes.
  package static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) throws(SystemError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = Glibc.write(file, rest.baseAddress, rest.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw SystemError(code: errno) }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
    }
  }

  /// The same of an array's bytes.
  package static func write(_ bytes: [UInt8], to file: Int32) throws(SystemError) {
    try bytes.withUnsafeBytes { bytes in
      Result { () throws(SystemError) in try write(bytes, to: file) }
    }.get()
  }
}
