/// How often each bit was set in a number of sets, added up 64 bits at once.
///
/// Counts lie across words: adding a set is adding one bit to 64 numbers, whose carry ripples on only as
/// far as any of them has one, two words on average.
struct BitCounts {
  /// Digits of a count, enough for all sets.
  private let digits: Int
  /// Digit d of the counts of word w's bits is word w * digits + d.
  private var columns: [UInt64]

  /// - Parameters:
  ///   - words: how many there are.
  ///   - sets: the most sets that are added.
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

  /// How many of the sets have a bit of a word.
  func count(ofBit bit: Int, at place: Int) -> Int {
    (0..<digits).reduce(0) { sum, digit in
      sum | Int((columns[place * digits + digit] >> UInt64(bit)) & 1) << digit
    }
  }
}
