/// The object file with which a Swift program answers conformance look-ups from a table.
package enum ConformancesObject {
  /// Functions of Swift's runtime whose calls the object file takes over.
  package static let wrapped = [
    "swift_conformsToProtocol", "swift_conformsToProtocol2", "swift_conformsToProtocolCommon",
    "swift_conformsToProtocolWithExecutionContext",
  ]

  /// - Parameter archive: the bytes of libfirstlight_conformances.a.
  /// - Returns: nil if the archive is not the one of these tools.
  package static func bytes(archive: [UInt8], table: ConformanceTable) -> [UInt8]? {
    guard var object = ToolArchive.object(in: archive),
      let place = object.firstIndex(of: ConformanceTable.mark),
      let header = sectionHeader(at: place, in: object)
    else { return nil }
    // The table is all of its section, which moves to the end of the file, where it can have any size.
    object += [UInt8](repeating: 0, count: (16 - object.count % 16) % 16)
    put(UInt64(object.count), at: header + offsetField, in: &object)
    put(UInt64(table.bytes.count), at: header + sizeField, in: &object)
    return object + table.bytes
  }

  /// In a section header of a 64-bit file (System V ABI, chapter 4).
  private static let (offsetField, sizeField) = (24, 32)

  /// The place of the header of the section that begins at `place`.
  private static func sectionHeader(at place: Int, in object: [UInt8]) -> Int? {
    func number<T: FixedWidthInteger>(_ place: UInt64, _: T.Type) -> UInt64? {
      guard place < object.count, object.count - Int(place) >= MemoryLayout<T>.size else {
        return nil
      }
      return object.withUnsafeBytes {
        UInt64(truncatingIfNeeded: $0.loadUnaligned(fromByteOffset: Int(place), as: T.self))
      }
    }
    guard let table = number(0x28, UInt64.self), let count = number(0x3c, UInt16.self) else {
      return nil
    }
    for index in 0..<count {
      let header = table &+ 64 &* index
      guard let offset = number(header &+ UInt64(offsetField), UInt64.self),
        let size = number(header &+ UInt64(sizeField), UInt64.self)
      else { return nil }
      if offset == UInt64(place), size > 0 { return Int(header) }
    }
    return nil
  }

  private static func put(_ number: UInt64, at place: Int, in object: inout [UInt8]) {
    withUnsafeBytes(of: number) { object.replaceSubrange(place..<place + 8, with: $0) }
  }
}
