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
    guard ranges.count <= capacity, var object = ToolArchive.object(in: archive),
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
}
