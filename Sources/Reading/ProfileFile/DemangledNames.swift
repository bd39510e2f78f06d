import CZlib
import FirstlightModel
import SystemSupport

/// The readable names of a build's functions in the table `demangled`. Uncompressed, their text would be half of a
/// profile; it shrinks to a tenth, and inflating is faster than demangling again.
///
/// A part holds up to `partSize` names, compressed by zlib: each as its length, in unsigned LEB128, and its bytes. A
/// function whose linker name is not mangled has none there, with length 0.
enum DemangledNames {
  /// The table whose functions have the names.
  enum List: String { case function, unguarded, inlined, counter }

  private static let partSize = 4096
  /// The largest size of all names of a list in bytes: more than a file of a million functions needs.
  private static let limit = 1 << 30

  static func write(
    _ names: some RandomAccessCollection<(name: String, demangled: String)>, of list: List,
    build: Int, in database: OpaquePointer
  ) throws {
    var rows = try RowInsertion(into: "demangled", columns: 5, keepsKnown: true, in: database)
    var rest = names[...]
    var part = 0
    while !rest.isEmpty {
      var bytes: [UInt8] = []
      for (name, demangled) in rest.prefix(partSize) {
        let text = demangled == name ? "" : demangled
        LEB128.append(UInt64(text.utf8.count), to: &bytes)
        bytes.append(contentsOf: text.utf8)
      }
      rest = rest.dropFirst(partSize)
      rows.add(build)
      rows.add(list.rawValue)
      rows.add(part)
      rows.add(bytes.count)
      try rows.add(Deflate.compress(bytes, level: 3))
      try rows.insert()
      part += 1
    }
  }

  /// The names of a list, in the order of its functions.
  static func read(
    _ list: List, build: Int, in database: OpaquePointer
  ) throws -> Iterator {
    var rows = try RowReading(
      sql: "SELECT size, names FROM demangled WHERE build = ? AND list = '\(list)' ORDER BY part",
      build: build, in: database)
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
    return Iterator(
      parts: try inflated.map { texts throws(DamagedNames) in
        guard let texts, !texts.isEmpty else { throw DamagedNames() }
        return texts
      })
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

  /// Gives each function of a list its name.
  struct Iterator {
    fileprivate let parts: [[String]]
    private var part = 0
    private var place = 0

    fileprivate init(parts: [[String]]) { self.parts = parts }

    /// The next function's readable name.
    mutating func next(or name: String) throws -> String {
      guard part < parts.count, place < parts[part].count else { throw DamagedNames() }
      let text = parts[part][place]
      place += 1
      if place == parts[part].count { (part, place) = (part + 1, 0) }
      return text.isEmpty ? name : text
    }
  }
}

/// Names that are cut off, or fewer than functions.
struct DamagedNames: Error, CustomStringConvertible {
  var description: String { "readable names are missing" }
}
