import Glibc

/// The end of what a program wrote into a file.
enum LogTail {
  private static let bytes = 8192

  /// The last lines that say something; the first may lack its beginning.
  static func lines(of file: Int32) -> [Substring] {
    let size = lseek(file, 0, SEEK_END)
    var tail = [UInt8](repeating: 0, count: bytes)
    let count = pread(file, &tail, tail.count, max(0, size - bytes))
    return String(decoding: tail.prefix(max(0, count)), as: UTF8.self)
      .split(whereSeparator: \.isNewline).filter { $0.contains { !$0.isWhitespace } }
  }
}
