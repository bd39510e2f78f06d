import Glibc

/// Reads integers, strings and LEB128 numbers one after the other.
///
/// A read past the end returns 0 and sets `failed`, and so does every later read: decoders check
/// once, at the end of a unit of work, and loops end because they check `failed`.
struct ByteCursor {
  private let base: UnsafeRawPointer
  private(set) var position: Int
  private(set) var end: Int
  private(set) var failed = false

  /// A cursor over `bytes` from `position`; failed if `position` is outside.
  init(_ bytes: Bytes, at position: Int = 0) {
    base = bytes.base
    end = bytes.count
    self.position = position
    if position < 0 || position > end { fail() }
  }

  var remaining: Int { end &- position }

  mutating func fail() {
    failed = true
    position = end
  }

  /// Moves `end` to an earlier position; a later one is a failure.
  mutating func limit(to newEnd: Int) {
    guard newEnd >= position, newEnd <= end else { return fail() }
    end = newEnd
  }

  @inline(__always)
  mutating func skip(_ count: Int) {
    guard count >= 0, count <= end &- position else { return fail() }
    position &+= count
  }

  @inline(__always)
  mutating func read<T: FixedWidthInteger & BitwiseCopyable>(_: T.Type) -> T {
    guard MemoryLayout<T>.size <= end &- position else {
      fail()
      return 0
    }
    let value = base.loadUnaligned(fromByteOffset: position, as: T.self)
    position &+= MemoryLayout<T>.size
    return value
  }

  @inline(__always) mutating func u8() -> UInt8 { read(UInt8.self) }
  @inline(__always) mutating func u16() -> UInt16 { read(UInt16.self) }
  @inline(__always) mutating func u32() -> UInt32 { read(UInt32.self) }
  @inline(__always) mutating func u64() -> UInt64 { read(UInt64.self) }

  /// An unsigned integer of 1, 2, 4 or 8 bytes.
  mutating func unsigned(size: Int) -> UInt64 {
    switch size {
    case 1: return UInt64(u8())
    case 2: return UInt64(u16())
    case 4: return UInt64(u32())
    case 8: return u64()
    default:
      fail()
      return 0
    }
  }

  /// Unsigned LEB128; bits past the 64th are dropped.
  @inline(__always)
  mutating func uleb() -> UInt64 {
    let first = u8()
    if first < 0x80 { return UInt64(first) }
    var value = UInt64(first & 0x7f)
    var shift: UInt64 = 7
    while true {
      let byte = u8()
      if shift < 64 { value |= UInt64(byte & 0x7f) &<< shift }
      shift &+= 7
      if byte < 0x80 { return value }
    }
  }

  /// Signed LEB128; bits past the 64th are dropped.
  mutating func sleb() -> Int64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = u8()
      if shift < 64 { value |= UInt64(byte & 0x7f) &<< shift }
      shift &+= 7
      if byte < 0x80 {
        if byte & 0x40 != 0, shift < 64 { value |= ~UInt64(0) &<< shift }
        return Int64(bitPattern: value)
      }
    }
  }

  /// The bytes up to the next NUL; the cursor moves past the NUL.
  mutating func cString() -> Bytes {
    guard position < end, let nul = memchr(base + position, 0, end &- position) else {
      fail()
      return .empty
    }
    let count = UnsafeRawPointer(nul) - (base + position)
    defer { position &+= count &+ 1 }
    return Bytes(base: base + position, count: count)
  }
}

/// A table of records of one size. Bytes behind the last whole record are no part of it.
struct Records<Record: BitwiseCopyable>: RandomAccessCollection {
  let bytes: Bytes

  var startIndex: Int { 0 }
  var endIndex: Int { bytes.count / MemoryLayout<Record>.stride }

  @inline(__always)
  subscript(index: Int) -> Record {
    precondition(index >= 0 && index < endIndex)
    return bytes.base.loadUnaligned(
      fromByteOffset: index &* MemoryLayout<Record>.stride, as: Record.self)
  }
}
