/// How often each bit was set in a number of sets, added up 64 bits at once.
///
/// Counts lie across words: adding a set is adding one bit to 64 numbers, whose carry ripples on only as
/// far as any of them has one, two words on average.
struct BitCounts {
  /// The most digits of a count: no memory holds 2^32 sets.
  private static let digits = 32
  /// Digit d of the counts of word w's bits is word w * digits + d.
  private var columns: [UInt64]

  /// - Parameter words: of the sets that are added; those beyond are left out.
  init(words: Int) { columns = Array(repeating: 0, count: words * Self.digits) }

  mutating func add(_ set: GuardSet) {
    let count = min(set.words.count, columns.count / Self.digits)
    columns.withUnsafeMutableBufferPointer { columns in
      for (index, word) in set.words.prefix(count).enumerated() {
        var carry = word
        var digit = index * Self.digits
        while carry != 0 {
          let sum = columns[digit] ^ carry
          carry &= columns[digit]
          columns[digit] = sum
          digit += 1
        }
      }
    }
  }

  /// How many of the sets have this bit.
  subscript(index: UInt32) -> Int {
    let first = Int(index >> 6) * Self.digits
    return (0..<Self.digits).reduce(0) { sum, digit in
      sum | Int((columns[first + digit] >> UInt64(index & 63)) & 1) << digit
    }
  }
}
