import Glibc

/// A range of memory that belongs to a `MappedFile` or a `Decompressed` section.
///
/// It does not keep its owner alive: the code that returns one (in this module, `DebugImage`) must
/// hold the owner for at least as long. A read outside the bounds returns nil and touches no memory.
struct Bytes: @unchecked Sendable {
  // Safe to share among threads: the owner never changes or moves this read-only memory.
  let base: UnsafeRawPointer
  let count: Int

  init(base: UnsafeRawPointer, count: Int) {
    self.base = base
    self.count = count
  }

  init(_ buffer: UnsafeRawBufferPointer) {
    // Any non-null address is fine, since it is never used if `count` is 0.
    base = buffer.baseAddress ?? Bytes.empty.base
    count = buffer.count
  }

  static let empty = Bytes(base: UnsafeRawPointer(bitPattern: 8)!, count: 0)

  var isEmpty: Bool { count == 0 }

  /// The part of `size` bytes from `offset`; nil if it is not wholly inside.
  func slice(_ offset: UInt64, _ size: UInt64) -> Bytes? {
    guard offset <= UInt64(count), size <= UInt64(count) &- offset else { return nil }
    return Bytes(base: base + Int(offset), count: Int(size))
  }

  /// The integer or record at `offset`; nil if it is not wholly inside.
  @inline(__always)
  func load<T: BitwiseCopyable>(_ offset: Int, as: T.Type) -> T? {
    guard offset >= 0, offset <= count &- MemoryLayout<T>.size else { return nil }
    return base.loadUnaligned(fromByteOffset: offset, as: T.self)
  }

  /// These bytes as a table of such records, as <elf.h> has them.
  func records<Record: BitwiseCopyable>(_: Record.Type) -> Records<Record> { Records(bytes: self) }

  /// The bytes from `offset` up to the next NUL; nil if there is none.
  func cString(_ offset: Int) -> Bytes? {
    guard offset >= 0, offset < count, let end = memchr(base + offset, 0, count &- offset)
    else { return nil }
    return Bytes(base: base + offset, count: UnsafeRawPointer(end) - (base + offset))
  }

  /// These bytes up to the last NUL: a table of texts that all end.
  var terminated: Bytes {
    let end = UnsafeRawBufferPointer(start: base, count: count).lastIndex(of: 0)
    return Bytes(base: base, count: end.map { $0 + 1 } ?? 0)
  }

  /// These bytes as text; invalid UTF-8 becomes replacement characters.
  var text: String {
    String(decoding: UnsafeRawBufferPointer(start: base, count: count), as: UTF8.self)
  }

  /// Whether these bytes are exactly `text`.
  func equals(_ text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount && memcmp(base, text.utf8Start, count) == 0
  }
}
