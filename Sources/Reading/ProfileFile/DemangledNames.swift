import CZlib
import FirstlightModel
import SystemSupport

/// The readable names of the table `name`, in the table `demangled`. Uncompressed, their text would be half of a profile;
/// it shrinks to a tenth, and inflating is faster than demangling again.
///
/// A part holds up to `partSize` names, compressed by zlib: each as its length, in unsigned LEB128, and its bytes. A
/// linker name that is not mangled has none there, with length 0.
enum DemangledNames {
  private static let partSize = 4096
  /// The largest size of all names in bytes: more than a file of a million functions needs.
  private static let limit = 1 << 30

  struct Writer {
    private var parts: [[UInt8]] = []
    private var count = 0

    /// - Parameter name: empty if it equals the linker's.
    mutating func add(_ name: String) {
      if count % partSize == 0 { parts.append([]) }
      count += 1
      LEB128.append(UInt64(name.utf8.count), to: &parts[parts.count - 1])
      parts[parts.count - 1].append(contentsOf: name.utf8)
    }

    func write(in database: OpaquePointer) throws {
      let parts = parts
      let compressed = Parallel.map(parts.count, batch: 1) {
        try? Deflate.compress(parts[$0], level: 6)
      }
      var rows = try RowInsertion(into: "demangled", columns: 3, in: database)
      for (number, bytes) in compressed.enumerated() {
        rows.add(number)
        rows.add(parts[number].count)
        rows.add(try bytes ?? Deflate.compress(parts[number], level: 6))
        try rows.insert()
      }
    }
  }

  /// The names, in the order of their numbers; empty ones equal the linker's.
  static func read(in database: OpaquePointer) throws -> [String] {
    var rows = try RowReading(
      sql: "SELECT size, names FROM demangled ORDER BY part", in: database)
    var parts: [(size: Int, bytes: [UInt8])] = []
    var sum = 0
    while try rows.next() {
      let size = try rows.number(0)
      guard (0...limit).contains(size), sum + size <= limit else { throw DamagedNames() }
      sum += size
      parts.append((size, try rows.blob(1)))
    }
    let compressed = parts
    let inflated = Parallel.map(parts.count, batch: 1) {
      texts(compressed[$0].bytes, size: compressed[$0].size)
    }
    return try inflated.flatMap { texts throws(DamagedNames) in
      guard let texts else { throw DamagedNames() }
      return texts
    }
  }

  /// The names of a part; nil if the bytes are invalid.
  private static func texts(_ bytes: [UInt8], size: Int) -> [String]? {
    // zlib compresses nothing to less than a 1032nd.
    guard size <= bytes.count * 1040 else { return nil }
    return withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { plain in
      var found = uLong(size)
      guard let start = plain.baseAddress?.assumingMemoryBound(to: UInt8.self),
        uncompress(start, &found, bytes, uLong(bytes.count)) == Z_OK, found == size
      else { return nil }
      let plain = UnsafeRawBufferPointer(plain)
      var texts: [String] = []
      texts.reserveCapacity(partSize)
      var at = 0
      while at < size {
        guard let count = LEB128.next(plain, &at), count <= UInt64(size - at) else { return nil }
        texts.append(String(decoding: plain[at..<at + Int(count)], as: UTF8.self))
        at += Int(count)
      }
      return texts
    }
  }
}

/// Names that are cut off, or fewer than the linker's.
struct DamagedNames: Error, CustomStringConvertible {
  var description: String { "readable names are missing" }
}
