/// The types of the standard library that mangled names abbreviate to two or three letters
/// (include/swift/Demangling/StandardTypesMangling.def of the Swift project).
enum SwiftStandardTypes {
  /// The type with the mangling `S` and a letter.
  static func name(_ letter: UInt8) -> String? { plain[letter] }

  /// The type with the mangling `Sc` and a letter.
  static func concurrencyName(_ letter: UInt8) -> String? { concurrency[letter] }

  private static let plain = table(
    """
    A AutoreleasingUnsafeMutablePointer a Array B BinaryFloatingPoint b Bool D Dictionary d Double
    E Encodable e Decodable F FloatingPoint f Float G RandomNumberGenerator H Hashable h Set
    I DefaultIndices i Int J Character j Numeric K BidirectionalCollection
    k RandomAccessCollection L Comparable l Collection M MutableCollection
    m RangeReplaceableCollection N ClosedRange n Range O ObjectIdentifier P UnsafePointer
    p UnsafeMutablePointer Q Equatable q Optional R UnsafeBufferPointer
    r UnsafeMutableBufferPointer S String s Substring T Sequence t IteratorProtocol
    U UnsignedInteger u UInt V UnsafeRawPointer v UnsafeMutableRawPointer W UnsafeRawBufferPointer
    w UnsafeMutableRawBufferPointer X RangeExpression x Strideable Y RawRepresentable
    y StringProtocol Z SignedInteger z BinaryInteger
    """)

  private static let concurrency = table(
    """
    A Actor C CheckedContinuation c UnsafeContinuation E CancellationError
    e UnownedSerialExecutor F Executor f SerialExecutor G TaskGroup g ThrowingTaskGroup
    h TaskExecutor I AsyncIteratorProtocol i AsyncSequence J UnownedJob M MainActor
    P TaskPriority S AsyncStream s AsyncThrowingStream T Task t UnsafeCurrentTask
    """)

  private static func table(_ text: String) -> [UInt8: String] {
    let words = text.words
    var table: [UInt8: String] = [:]
    for index in stride(from: 0, to: words.count - 1, by: 2) {
      table[words[index].utf8.first!] = String(words[index + 1])
    }
    return table
  }
}
