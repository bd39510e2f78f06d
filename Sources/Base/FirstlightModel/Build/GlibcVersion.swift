/// A version of the GNU C library: `2.36`.
package struct GlibcVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
  package var major: Int
  package var minor: Int

  package init(_ major: Int, _ minor: Int) {
    self.major = major
    self.minor = minor
  }

  /// - Parameter text: two or three numbers, of which the third does not count: `2.31`, `2.2.5`. Nil for
  ///   anything else.
  package init?(_ text: some StringProtocol) {
    let parts = Substring(text).split(at: ".", omittingEmpty: false)
    let numbers = parts.compactMap { part in
      part.utf8.allSatisfy(\.isASCIIDigit) ? Int(part) : nil
    }
    guard numbers.count == parts.count, (2...3).contains(parts.count) else { return nil }
    self.init(numbers[0], numbers[1])
  }

  /// The first version that loads packed relative relocations (its NEWS).
  package static let packedRelocations = GlibcVersion(2, 36)

  package static func < (a: GlibcVersion, b: GlibcVersion) -> Bool {
    (a.major, a.minor) < (b.major, b.minor)
  }

  package var description: String { "\(major).\(minor)" }
}
