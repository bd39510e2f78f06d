import FirstlightModel
import Glibc

/// Finds numbered names that stay where they are, by eight bytes a name: nothing is copied.
struct NameOrder: Sendable {
  /// A hash of each name and its number, in rising order.
  private let order: [UInt64]

  init(_ names: some Sequence<Bytes>) {
    order = names.enumerated().map { UInt64(Self.hash($1)) << 32 | UInt64($0) }.sorted()
  }

  /// The numbers of all names with these bytes, rising.
  ///
  /// - Parameter name: the name with a number.
  func indices(of wanted: Bytes, _ name: (Int) -> Bytes) -> [Int] {
    let hash = Self.hash(wanted)
    let first = order.partitioningIndex { UInt32($0 >> 32) >= hash }
    return order[first...].prefix { UInt32($0 >> 32) == hash }
      .map { Int(UInt32(truncatingIfNeeded: $0)) }
      .filter {
        let name = name($0)
        return name.count == wanted.count && memcmp(name.base, wanted.base, name.count) == 0
      }
  }

  private static func hash(_ name: Bytes) -> UInt32 {
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(start: name.base, count: name.count))
    return UInt32(truncatingIfNeeded: hasher.finalize())
  }
}
