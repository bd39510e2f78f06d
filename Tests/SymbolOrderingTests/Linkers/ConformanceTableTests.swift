import FirstlightModel
import SymbolOrdering
import Testing

@Suite struct ConformanceTableTests {
  /// The table as a program finds it in memory.
  private struct Memory {
    let bytes: [UInt8]

    func word(_ place: Int) -> UInt32 {
      bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: UInt32.self) }
    }
    var records: Int { Int(word(16)) }
    var slots: [UInt32] { (0..<(1 << word(20))).map { word(32 + 4 * $0) } }
    var digest: UInt64 { UInt64(word(24)) | UInt64(word(28)) << 32 }

    /// The records that a program would read for a pair, as the header describes it.
    func candidates(_ pair: UInt64) -> [Int] {
      var hash = pair &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash >> 32
      hash = hash &* 0xD6E8_FEB8_6659_FD93
      let bits = String(records, radix: 2).count
      let slots = slots
      var found: [Int] = []
      var place = Int(hash >> 32) % slots.count
      while slots[place] != 0 {
        let index = slots[place] % (1 << bits)
        if slots[place] >> bits == (UInt32(truncatingIfNeeded: hash) << bits) >> bits {
          found.append(Int(index) - 1)
        }
        place = (place + 1) % slots.count
      }
      return found
    }
  }

  /// Pairs with types and protocols near each other, as in a program.
  private static func pairs(_ count: Int) -> [UInt64] {
    (0..<UInt64(count)).map { (0x2_0000 + $0 / 7 * 28) << 32 | (0x9000 + $0 % 7 * 24) }
  }

  @Test(arguments: [1, 2, 3, 7, 64, 100, 7605, 70_000])
  func eachPairLeadsToItsRecordAndNoOtherPairToAny(count: Int) {
    let pairs = Self.pairs(count)
    let memory = Memory(bytes: ConformanceTable(ConformancePairs(pairs)).bytes)
    #expect(memory.records == count)
    #expect(memory.bytes.starts(with: Array("firstlight.confs".utf8)))
    #expect(memory.bytes.count == 32 + 4 * memory.slots.count)
    #expect(memory.slots.count { $0 == 0 } >= count)
    for index in stride(from: 0, to: count, by: max(1, count / 100)) {
      let candidates = memory.candidates(pairs[index])
      #expect(candidates.contains(index))
      // A slot has part of the hash only: others may look alike, but few do.
      #expect(candidates.count < 4 && candidates.allSatisfy { $0 < count })
    }
    let absent = (0..<200).map { UInt64(7 * $0 + 5) << 32 | 3 }
    #expect(absent.reduce(0) { $0 + memory.candidates($1).count } < 20)
  }

  @Test func twoRecordsOfAPairAreBothFound() {
    let pairs = Self.pairs(20) + [Self.pairs(20)[3]]
    let memory = Memory(bytes: ConformanceTable(ConformancePairs(pairs)).bytes)
    #expect(Set(memory.candidates(pairs[3])).isSuperset(of: [3, 20]))
  }

  @Test func theDigestIsOfThesePairsInThisOrder() {
    func digest(_ pairs: [UInt64]) -> UInt64 {
      Memory(bytes: ConformanceTable(ConformancePairs(pairs)).bytes).digest
    }
    let pairs = Self.pairs(50)
    var others = [Array(pairs.reversed()), Array(pairs.dropLast()), pairs + [0]]
    for bit in stride(from: 0, to: 64, by: 9) {
      var changed = pairs
      changed[17] ^= 1 << bit
      others.append(changed)
    }
    #expect(digest(pairs) == digest(Self.pairs(50)))
    #expect(Set((others + [pairs]).map(digest)).count == others.count + 1)
  }

  @Test(arguments: [0, 1, 5, 7605])
  func roomForATableIsAsLargeAsTheTable(count: Int) {
    let pairs = ConformancePairs(Self.pairs(count))
    let room = ConformanceTable(sizeFor: pairs).bytes
    #expect(room.count == ConformanceTable(pairs).bytes.count)
    #expect(Memory(bytes: room).records == 0)
  }
}
