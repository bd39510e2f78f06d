import NeverCalled

/// The lines of a file, as bytes.
struct SourceLines {
  let bytes: [UInt8]
  /// Start of each line.
  private let starts: [Int]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var starts = [0]
    for (place, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
      starts.append(place + 1)
    }
    self.starts = starts
  }

  var count: Int { starts.count }

  /// The bytes of a line with its line break; nil if there is no such line.
  func range(ofLine line: Int) -> Range<Int>? {
    guard line > 0, line <= starts.count else { return nil }
    return starts[line - 1]..<(line < starts.count ? starts[line] : bytes.count)
  }

  /// The line of a byte, from 1.
  func line(of place: Int) -> Int {
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= place { low = middle } else { high = middle }
    }
    return low + 1
  }

  /// Start of the line that contains a byte.
  func start(of place: Int) -> Int { starts[line(of: place) - 1] }

  /// End of the line that contains a byte, after its line break.
  func end(of place: Int) -> Int {
    let line = line(of: place)
    return line < starts.count ? starts[line] : bytes.count
  }

  func isBlank(_ range: Range<Int>) -> Bool { bytes[range].allSatisfy(Self.isSpace) }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (9...13).contains(byte)
  }

  /// The first byte from `place` on that is not white space, on any line; nil if there is none.
  func firstVisible(from place: Int) -> Int? {
    bytes[place...].firstIndex { !Self.isSpace($0) }
  }

  /// The last byte before `place` that is not white space; nil if there is none.
  func lastVisible(before place: Int) -> Int? {
    bytes[..<place].lastIndex { !Self.isSpace($0) }
  }

  /// Whether a text is at `place`.
  func has(_ text: StaticString, at place: Int) -> Bool {
    let length = text.utf8CodeUnitCount
    guard place + length <= bytes.count else { return false }
    return (0..<length).allSatisfy { bytes[place + $0] == text.utf8Start[$0] }
  }
}
