import FirstlightModel

/// The table from which a Swift program answers whether a type conforms to a protocol.
///
/// The layout, the hash and the digest are those of
/// `CSupport/FirstlightConformances/include/firstlight_conformances.h`.
package struct ConformanceTable: Hashable, Sendable {
  package let bytes: [UInt8]

  static let mark = Array("firstlight.confs".utf8)

  private static let first: UInt64 = 0x9E37_79B9_7F4A_7C15
  private static let second: UInt64 = 0xD6E8_FEB8_6659_FD93

  package init(_ conformances: ConformancePairs) {
    let pairs = conformances.pairs
    let slotBits = Self.slotBits(pairs.count)
    let indexBits = UInt64.bitWidth - UInt64(pairs.count).leadingZeroBitCount
    var slots = [UInt32](repeating: 0, count: 1 << slotBits)
    var digest: UInt64 = 0
    for (index, pair) in pairs.enumerated() {
      digest = (digest ^ pair) &* Self.first
      digest ^= digest >> 32
      let hash = Self.hash(pair)
      var place = Int(truncatingIfNeeded: hash >> 32) & (slots.count - 1)
      while slots[place] != 0 { place = (place + 1) & (slots.count - 1) }
      slots[place] = UInt32(truncatingIfNeeded: hash << UInt64(indexBits)) | UInt32(index + 1)
    }
    var bytes = Self.mark
    func put(_ value: some FixedWidthInteger) {
      withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
    }
    put(UInt32(pairs.count))
    put(UInt32(slotBits))
    put(digest)
    for slot in slots { put(slot) }
    self.bytes = bytes
  }

  /// A table of the same size that answers nothing. With it, the linker places everything as with the full one.
  package init(sizeFor conformances: ConformancePairs) {
    let size = 32 + 4 << Self.slotBits(conformances.pairs.count)
    bytes = Self.mark + [UInt8](repeating: 0, count: size - Self.mark.count)
  }

  /// At most half of the slots are taken: searches are short, and end.
  private static func slotBits(_ records: Int) -> Int {
    Int.bitWidth - max(2 * records - 1, 1).leadingZeroBitCount
  }

  private static func hash(_ pair: UInt64) -> UInt64 {
    var hash = pair &* first
    hash ^= hash >> 32
    return hash &* second
  }
}
