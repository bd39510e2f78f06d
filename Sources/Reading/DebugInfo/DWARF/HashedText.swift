import FirstlightModel
import Glibc

/// A text of libdw with its hash, computed once by the thread that found it.
struct HashedText: Hashable, @unchecked Sendable {
  // The text belongs to a handle that the index keeps open.
  private let base: UnsafePointer<CChar>
  private let count: Int
  private let hash: Int

  init(_ text: UnsafePointer<CChar>, count: Int) {
    base = text
    self.count = count
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(start: text, count: count))
    hash = hasher.finalize()
  }

  var string: String {
    String(decoding: UnsafeRawBufferPointer(start: base, count: count), as: UTF8.self)
  }

  static func == (one: Self, other: Self) -> Bool {
    one.hash == other.hash && one.count == other.count
      && memcmp(one.base, other.base, one.count) == 0
  }

  func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
