import FirstlightModel
import Testing

@Suite struct LEB128Tests {
  /// The examples of DWARF 5, table 7.22, and the ends of the range.
  static let examples: [(UInt64, [UInt8])] = [
    (0, [0]), (2, [2]), (127, [0x7f]), (128, [0x80, 1]), (129, [0x81, 1]), (12857, [0xb9, 0x64]),
    (.max, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]),
  ]

  @Test(arguments: examples)
  func numbersAreWrittenAsTheStandardHasThem(number: UInt64, bytes: [UInt8]) {
    var written: [UInt8] = []
    LEB128.append(number, to: &written)
    #expect(written == bytes)
  }

  @Test func writtenRecordsReadBackInOrder() {
    var bytes: [UInt8] = []
    for (number, _) in Self.examples { LEB128.append(number, to: &bytes) }
    var at = 0
    let read = bytes.withUnsafeBytes { buffer in
      Self.examples.indices.map { _ in LEB128.next(buffer, &at) }
    }
    #expect(read == Self.examples.map { $0.0 })
    #expect(at == bytes.count)
  }

  @Test(arguments: [[], [0x80], [UInt8](repeating: 0x80, count: 64)])
  func unterminatedNumbersAreRefused(bytes: [UInt8]) {
    var at = 0
    #expect(bytes.withUnsafeBytes { LEB128.next($0, &at) } == nil)
  }
}
