import FirstlightModel
import Glibc

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
