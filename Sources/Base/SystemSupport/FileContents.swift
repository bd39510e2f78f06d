import FirstlightModel
import Glibc

/// Reads whole files.
package enum FileContents {
  /// Size of the largest file that is read, bytes.
  package static let largest = 1 << 30

  /// Reads a regular file of at most `limit` bytes. Files without a size, as in /proc, are empty.
  package static func read(_ path: String, limit: Int = largest) throws(SystemError) -> [UInt8] {
    let (file, status) = try RegularFile.open(path)
    defer { close(file) }
    guard status.st_size <= limit else { throw SystemError(code: EFBIG) }
    return try read(file, limit: Int(status.st_size))
  }

  /// Reads a file of any kind to its end, regardless of its reported size: one that the user named, which may be a
  /// pipe, or one of /proc.
  package static func readStream(_ path: String) throws(SystemError) -> [UInt8] {
    let file = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC)
    guard file >= 0 else { throw SystemError(code: errno) }
    defer { close(file) }
    let bytes = try read(file, limit: largest + 1)
    guard bytes.count <= largest else { throw SystemError(code: EFBIG) }
    return bytes
  }

  /// Reads at most `limit` bytes, to the end of the file.
  private static func read(_ file: CInt, limit: Int) throws(SystemError) -> [UInt8] {
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
    defer { room.deallocate() }
    var bytes: [UInt8] = []
    while bytes.count < limit {
      let count = Glibc.read(file, room.baseAddress, min(room.count, limit - bytes.count))
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw SystemError(code: errno) }
      if count == 0 { break }
      bytes += room[..<count]
    }
    return bytes
  }

  /// A digest of a file's contents (FNV-1a), which shows whether they are the same; nil if it cannot be read.
  package static func digest(_ path: String) -> UInt64? {
    (try? read(path)).map { FNV1a.hash(of: $0) }
  }

  /// Reads a file named on the command line. Fails with `.noInput`, naming the file.
  package static func argument(_ path: String) throws(Failure) -> [UInt8] {
    do { return try readStream(path) } catch { throw Failure(.noInput, "\(path): \(error.text)") }
  }

  /// Writes all bytes to a blocking descriptor, in as many steps as necessary.
  package static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) throws(SystemError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = Glibc.write(file, rest.baseAddress, rest.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw SystemError(code: errno) }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
    }
  }

  /// Writes the bytes of an array.
  package static func write(_ bytes: [UInt8], to file: Int32) throws(SystemError) {
    try bytes.withUnsafeBytes { bytes in
      Result { () throws(SystemError) in try write(bytes, to: file) }
    }.get()
  }
}

/// An error of a system call.
package struct SystemError: Error {
  /// A value of `errno`.
  package let code: Int32
  package let text: String

  /// - Parameter text: nil: the system's text of the code.
  package init(code: Int32, text: String? = nil) {
    (self.code, self.text) = (code, text ?? ErrorText.of(code))
  }
}
