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

/// The first bytes of a file, which show its kind.
package enum FileStart {
  /// The first bytes, at most 256; empty if the file cannot be read.
  package static func bytes(of path: String) -> [UInt8] {
    guard let file = try? RegularFile(path: path, followsLinks: true) else { return [] }
    return (try? file.bytes(count: 256)) ?? []
  }

  package static func isELF(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0x7f, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F")])
  }

  /// Whether the file begins with `#!`, so that the system runs an interpreter for it (execve(2)).
  package static func isScript(_ path: String) -> Bool { bytes(of: path).starts(with: "#!".utf8) }

  /// Fails with `.data` for a script, naming its interpreter.
  package static func refuseScript(_ path: String) throws(Failure) {
    let start = bytes(of: path)
    guard start.starts(with: "#!".utf8) else { return }
    let line = String(decoding: start.dropFirst(2).prefix { $0 != 10 }, as: UTF8.self)
    let interpreter = line.split(at: " ").joined(separator: " ")
    throw Failure(
      .data, "\(path): a script for \(interpreter), not an ELF program",
      advice: "use the program that it starts")
  }
}

/// A text file: UTF-16 with a byte order mark, or else UTF-8, in which other bytes are replaced.
package enum TextFile {
  /// Size of the largest text that is read, bytes.
  private static let largest = 1 << 28

  /// Reads a regular file, such as a source. Fails with `.noInput`, naming the file.
  package static func read(_ path: String) throws(Failure) -> String {
    do { return text(try FileContents.read(path, limit: largest)) } catch {
      throw Failure(.noInput, "\(path): \(error.text)")
    }
  }

  /// Reads a file named on the command line, which may be a pipe. Fails with `.noInput`, naming the file.
  package static func argument(_ path: String) throws(Failure) -> String {
    text(try FileContents.argument(path))
  }

  private static func text(_ bytes: [UInt8]) -> String {
    let isLittle = bytes.starts(with: [0xff, 0xfe])
    guard isLittle || bytes.starts(with: [0xfe, 0xff]) else {
      return String(decoding: bytes, as: UTF8.self)
    }
    let units = stride(from: 2, to: bytes.count - 1, by: 2).map { place in
      let (one, other) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
      return isLittle ? other << 8 | one : one << 8 | other
    }
    return String(decoding: units, as: UTF16.self)
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
