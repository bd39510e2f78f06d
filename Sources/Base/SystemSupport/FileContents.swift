import FirstlightModel
import Glibc

/// Reads a whole file, regardless of its reported size: files of /proc and pipes report 0.
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

  /// A digest of a file's contents (FNV-1a), which shows whether they are the same; nil if it cannot be read.
  package static func digest(_ path: String) -> UInt64? {
    (try? read(path)).map { FNV1a.hash(of: $0) }
  }

  /// Reads a file named on the command line. Fails with `.noInput`, naming the file.
  package static func bytes(of path: String) throws(Failure) -> [UInt8] {
    do { return try read(path) } catch { throw Failure(.noInput, "\(path): \(error.text)") }
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
    // A pipe without a writer must not make this wait.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(file, &bytes, bytes.count)
    return Array(bytes.prefix(max(0, count)))
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
    let interpreter = line.split(separator: " ").joined(separator: " ")
    throw Failure(
      .data, "\(path): a script for \(interpreter), not an ELF program",
      advice: "use the program that it starts")
  }
}

/// A text file named on the command line.
package enum TextFile {
  /// Reads the whole file; bytes that are not UTF-8 are replaced. Fails with `.noInput`, naming the file.
  package static func read(_ path: String) throws(Failure) -> String {
    String(decoding: try FileContents.bytes(of: path), as: UTF8.self)
  }
}

/// An error of a system call.
package struct SystemError: Error {
  /// A value of `errno`.
  package let code: Int32

  package var text: String { ErrorText.of(code) }
}
