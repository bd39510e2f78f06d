import Glibc

/// A stretch of memory that belongs to a `MappedFile` or a `Decompressed` section.
///
/// It doesn't keep its owner alive: code that hands one out (in this module, `DebugImage`) holds the owner
/// for at least as long. A read outside the bounds returns nil and touches no memory.
struct Bytes: @unchecked Sendable {
  // Read-only memory of an owner that never changes or moves it: safe to share among threads.
  let base: UnsafeRawPointer
  let count: Int

  init(base: UnsafeRawPointer, count: Int) {
    self.base = base
    self.count = count
  }

  init(_ buffer: UnsafeRawBufferPointer) {
    // The address is never used where `count` is 0; any non-null one does.
    base = buffer.baseAddress ?? Bytes.empty.base
    count = buffer.count
  }

  static let empty = Bytes(base: UnsafeRawPointer(bitPattern: 8)!, count: 0)

  var isEmpty: Bool { count == 0 }

  /// The part of `size` bytes from `offset`; nil if it isn't wholly inside.
  func slice(_ offset: UInt64, _ size: UInt64) -> Bytes? {
    guard offset <= UInt64(count), size <= UInt64(count) &- offset else { return nil }
    return Bytes(base: base + Int(offset), count: Int(size))
  }

  /// The integer at `offset`; nil if it isn't wholly inside.
  @inline(__always)
  func load<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as: T.Type) -> T? {
    guard offset >= 0, offset <= count &- MemoryLayout<T>.size else { return nil }
    return base.loadUnaligned(fromByteOffset: offset, as: T.self)
  }

  /// The bytes from `offset` up to the next NUL; nil if there is none.
  func cString(_ offset: Int) -> Bytes? {
    guard offset >= 0, offset < count, let end = memchr(base + offset, 0, count &- offset)
    else { return nil }
    return Bytes(base: base + offset, count: UnsafeRawPointer(end) - (base + offset))
  }

  /// These bytes up to the last NUL: a table of texts, each of which ends.
  var terminated: Bytes {
    let end = UnsafeRawBufferPointer(start: base, count: count).lastIndex(of: 0)
    return Bytes(base: base, count: end.map { $0 + 1 } ?? 0)
  }

  /// These bytes as text; what isn't UTF-8 becomes replacement characters.
  var text: String {
    String(decoding: UnsafeRawBufferPointer(start: base, count: count), as: UTF8.self)
  }

  /// Whether these bytes are exactly `text`.
  func equals(_ text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount && memcmp(base, text.utf8Start, count) == 0
  }
}
