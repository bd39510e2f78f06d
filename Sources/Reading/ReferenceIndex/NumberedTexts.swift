/// Distinct texts in one block of memory, each with a number: equal texts share one.
///
/// A hash table with open addressing, at most half full. Look-ups use bytes, so that a part of a
/// name can be found without a copy.
struct NumberedTexts: Sendable {
  private var bytes: [UInt8] = []
  /// Start of each text, and the end of the last.
  private var starts: [UInt32] = [0]
  /// Numbers; -1 if the slot is free. The size is a power of two.
  private var slots: [Int32] = Array(repeating: -1, count: 1024)

  var count: Int { starts.count - 1 }

  subscript(number: Int) -> String {
    String(decoding: bytes[range(number)], as: UTF8.self)
  }

  /// The number of a text, which is added if it is new. Nil if the table is full: 4 GB.
  mutating func insert(_ text: UnsafeRawBufferPointer) -> Int? {
    let slot = slot(of: text)
    if slots[slot] >= 0 { return Int(slots[slot]) }
    guard bytes.count + text.count <= Int(UInt32.max), count < Int(Int32.max) else { return nil }
    slots[slot] = Int32(count)
    bytes.append(contentsOf: text)
    starts.append(UInt32(bytes.count))
    if 2 * count > slots.count { grow() }
    return count - 1
  }

  mutating func insert(_ text: String) -> Int? {
    var text = text
    return text.withUTF8 { insert(UnsafeRawBufferPointer($0)) }
  }

  func find(_ text: UnsafeRawBufferPointer) -> Int? {
    let number = slots[slot(of: text)]
    return number < 0 ? nil : Int(number)
  }

  func find(_ text: String) -> Int? {
    var text = text
    return text.withUTF8 { find(UnsafeRawBufferPointer($0)) }
  }

  private func range(_ number: Int) -> Range<Int> {
    Int(starts[number])..<Int(starts[number + 1])
  }

  /// The slot with a text's number, or the free slot for it.
  private func slot(of text: UnsafeRawBufferPointer) -> Int {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: Self.hash(text)) & mask
    while slots[slot] >= 0 {
      let range = range(Int(slots[slot]))
      if range.count == text.count, isEqual(range, text) { return slot }
      slot = (slot + 1) & mask
    }
    return slot
  }

  private func isEqual(_ range: Range<Int>, _ text: UnsafeRawBufferPointer) -> Bool {
    bytes.withUnsafeBytes { bytes in
      UnsafeRawBufferPointer(rebasing: bytes[range]).elementsEqual(text)
    }
  }

  /// Eight bytes at a time, multiplied and folded (as in wyhash and others).
  private static func hash(_ text: UnsafeRawBufferPointer) -> UInt64 {
    var value = UInt64(truncatingIfNeeded: text.count) ^ 0x9e37_79b9_7f4a_7c15
    var place = 0
    while place + 8 <= text.count {
      value = mix(value ^ text.loadUnaligned(fromByteOffset: place, as: UInt64.self))
      place += 8
    }
    var rest: UInt64 = 0
    while place < text.count {
      rest = rest << 8 | UInt64(text[place])
      place += 1
    }
    return mix(value ^ rest)
  }

  private static func mix(_ value: UInt64) -> UInt64 {
    let product = value.multipliedFullWidth(by: 0xa076_1d64_78bd_642f)
    return product.high ^ product.low
  }

  private mutating func grow() {
    slots = Array(repeating: -1, count: 2 * slots.count)
    bytes.withUnsafeBytes { bytes in
      for number in 0..<count {
        let mask = slots.count - 1
        let text = UnsafeRawBufferPointer(rebasing: bytes[range(number)])
        var slot = Int(truncatingIfNeeded: Self.hash(text)) & mask
        while slots[slot] >= 0 { slot = (slot + 1) & mask }
        slots[slot] = Int32(number)
      }
    }
  }
}
