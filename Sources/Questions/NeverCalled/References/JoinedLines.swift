/// A text of C without its backslashes at line ends, which continue a line, even within a word.
struct JoinedLines {
  private(set) var bytes: [UInt8] = []
  /// The places where lines were joined.
  private(set) var joints: [Int] = []

  /// Nil if no line is continued.
  init?(_ text: String) {
    guard text.containsUTF8("\\\n") || text.containsUTF8("\\\r\n") else { return nil }
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      guard byte == UInt8(ascii: "\n") else {
        bytes.append(byte)
        continue
      }
      let end = bytes.last == UInt8(ascii: "\r") ? 2 : 1
      guard bytes.count >= end, bytes[bytes.count - end] == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      bytes.removeLast(end)
      joints.append(bytes.count)
    }
  }
}
