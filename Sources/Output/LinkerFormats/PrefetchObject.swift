/// The object file with which a program prefetches its pages at start. It is taken from an archive of the
/// tools, and its table is filled in.
///
/// The layout is that of `CSupport/FirstlightPrefetch/include/firstlight_prefetch.h`.
package enum PrefetchObject {
  /// The most ranges in a table.
  package static let capacity = 509

  private static let mark = Array("firstlight.pages".utf8)

  /// - Parameters:
  ///   - archive: the bytes of libfirstlight_prefetch.a.
  ///   - ranges: at most `capacity`, in pages of 4 KiB.
  /// - Returns: nil if the archive is not the one of these tools.
  package static func bytes(archive: [UInt8], ranges: [Range<UInt32>]) -> [UInt8]? {
    guard ranges.count <= capacity, var object = member(of: archive),
      let start = object.firstIndex(of: mark), start + 20 + 8 * capacity <= object.count
    else { return nil }
    var place = start + mark.count
    func put(_ number: UInt32) {
      withUnsafeBytes(of: number) { object.replaceSubrange(place..<place + 4, with: $0) }
      place += 4
    }
    put(UInt32(ranges.count))
    for range in ranges {
      put(range.lowerBound)
      put(UInt32(range.count))
    }
    return object
  }

  /// The first ELF file in an archive (ar(5)). After the magic, each member has a header of 60 bytes with the
  /// size in decimal at offset 48, and begins at an even offset.
  private static func member(of archive: [UInt8]) -> [UInt8]? {
    guard archive.starts(with: "!<arch>\n".utf8) else { return nil }
    var place = 8
    while place + 60 <= archive.count {
      let digits = archive[(place + 48)..<(place + 58)].prefix { $0 != 0x20 }
      guard let size = Int(String(decoding: digits, as: UTF8.self)), size >= 0,
        size <= archive.count - place - 60
      else { return nil }
      let member = archive[(place + 60)..<(place + 60 + size)]
      if member.starts(with: [0x7f, 0x45, 0x4c, 0x46]) { return Array(member) }
      place += 60 + size + size % 2
    }
    return nil
  }
}

extension [UInt8] {
  fileprivate func firstIndex(of pattern: [UInt8]) -> Int? {
    guard count >= pattern.count else { return nil }
    return (0...(count - pattern.count)).first {
      self[$0] == pattern[0] && self[$0..<$0 + pattern.count].elementsEqual(pattern)
    }
  }
}
