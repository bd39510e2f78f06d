/// Counts for each bit in how many sets it is set, 64 bits at once.
///
/// The digits of a count lie in different words: adding a set adds one bit to 64 numbers, and the
/// carry continues only while any number has one, two words on average.
struct BitCounts {
  /// Number of binary digits, enough for all sets.
  private let digits: Int
  /// Digit d of the counts of word w's bits is word w * digits + d.
  private var columns: [UInt64]

  /// - Parameters:
  ///   - words: number of words.
  ///   - sets: maximum number of added sets.
  init(words: Int, sets: Int) {
    digits = Int.bitWidth - sets.leadingZeroBitCount
    columns = Array(repeating: 0, count: words * digits)
  }

  /// Adds a word of a set.
  @inline(__always) mutating func add(_ word: UInt64, at place: Int) {
    columns.withUnsafeMutableBufferPointer { columns in
      var carry = word
      var digit = place * digits
      while carry != 0 {
        let sum = columns[digit] ^ carry
        carry &= columns[digit]
        columns[digit] = sum
        digit += 1
      }
    }
  }

  /// The number of sets with a bit of a word.
  func count(ofBit bit: Int, at place: Int) -> Int {
    (0..<digits).reduce(0) { sum, digit in
      sum | Int((columns[place * digits + digit] >> UInt64(bit)) & 1) << digit
    }
  }
}
