/// Identifies one build of an image: the ELF build id (`NT_GNU_BUILD_ID`).
///
/// An image that was linked without a build id gets a digest of its file instead. Its text form
/// begins with `file-`, and it never equals a real build id.
package struct BuildID: Hashable, Sendable, CustomStringConvertible {
  /// The identity as text: lower-case hex digits, or `file-` and lower-case hex digits.
  package let description: String

  /// Makes a build id from the bytes of its ELF note. Nil if there are none.
  package init?(bytes: some Collection<UInt8>) {
    guard !bytes.isEmpty else { return nil }
    description = HexText.of(bytes)
  }

  /// Makes an identity for an image without build id from a digest of its contents.
  package init(fileDigest: some Collection<UInt8>) {
    description = "file-" + HexText.of(fileDigest)
  }

  /// Parses the text form that `description` gives. Nil if the text is invalid.
  package init?(_ text: String) {
    let digits = text.begins(with: "file-") ? text.dropFirst(5) : text[...]
    guard !digits.isEmpty,
      digits.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
    else { return nil }
    description = text
  }

  /// The bytes of the ELF note, or of the digest.
  package var bytes: [UInt8] {
    let digits = Array((isFileDigest ? description.dropFirst(5) : description[...]).utf8)
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
    }
  }

  /// Whether this is a digest that stands in for a missing build id.
  package var isFileDigest: Bool { description.begins(with: "file-") }

  /// The first twelve digits, for display.
  package var short: String { String(description.prefix(isFileDigest ? 17 : 12)) }

  /// The ids that match `digits`: all that begin with them, but only the equal one if the digits are no short form.
  package static func named(_ digits: String, among ids: some Sequence<BuildID>) -> Set<BuildID> {
    let fitting = Set(ids.filter { $0.description.begins(with: digits) })
    if !isShort(digits), let exact = BuildID(digits), fitting.contains(exact) { return [exact] }
    return fitting
  }

  /// Whether lists show as many digits of an id. A linker writes any id, also one that is the short form of another,
  /// which must not take the other's place.
  package static func isShort(_ digits: String) -> Bool {
    digits.utf8.count <= (digits.begins(with: "file-") ? 17 : 12)
  }
}
