import FirstlightModel
import Glibc

/// A text somebody names on the command line.
package enum TextFile {
  /// The whole file; bytes that are not UTF-8 are replaced. Fails with `.noInput`, naming the file.
  package static func read(_ path: String) throws(Failure) -> String {
    guard let file = fopen(path, "re") else { throw unreadable(path) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { break }
      bytes += buffer[..<count]
    }
    guard ferror(file) == 0 else { throw unreadable(path) }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func unreadable(_ path: String) -> Failure {
    Failure(.noInput, "\(path): \(ErrorText.of(errno))")
  }
}
