/// The suffixes that compilers append to the names of copies and parts of functions.
///
/// LLVM: `.llvm.N` (promoted by ThinLTO), `.N` (renamed), `.cold` and `.cold.N` (split off),
/// `.resume`, `.destroy`, `.cleanup` (pieces of a coroutine), `.__uniq.N`. GCC: `.part.N`, `.isra.N`,
/// `.constprop.N`, `.cold`, `.lto_priv.N`. Swift: `Tm` (the shared body of merged functions).
enum CloneSuffix {
  /// The name without suffixes.
  static func base(of name: String) -> Substring {
    var rest = name[...]
    while let shorter = withoutLast(rest) { rest = shorter }
    return rest
  }

  /// The part of the function that a name stands for; nil for the function's beginning.
  static func piece(of name: String) -> Substring? {
    // Fast path, since this runs for all names of a binary: most contain no dot.
    guard name.utf8.contains(dot) else { return nil }
    var rest = name[...]
    while let shorter = withoutLast(rest) {
      let suffix = rest[shorter.endIndex...]
      for piece in pieces where suffix.hasPrefix(piece) { return suffix.prefix(piece.count) }
      rest = shorter
    }
    return nil
  }

  private static let pieces = [".resume", ".destroy", ".cleanup", ".cold"]
  private static let words: Set<Substring> = [
    "llvm", "cold", "part", "isra", "constprop", "lto_priv", "__uniq", "resume", "destroy",
    "cleanup",
  ]
  private static let dot = UInt8(ascii: ".")

  /// The name without its last suffix; nil if it has none.
  private static func withoutLast(_ name: Substring) -> Substring? {
    if name.hasSuffix("Tm"), name.hasPrefix("$s") || name.hasPrefix("$S") {
      return name.dropLast(2)
    }
    guard let last = name.utf8.lastIndex(of: dot), last > name.startIndex else { return nil }
    let word = name[name.utf8.index(after: last)...]
    if words.contains(word) { return name[..<last] }
    guard !word.isEmpty, word.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    // `.llvm.17` is a single suffix.
    let rest = name[..<last]
    if let before = rest.utf8.lastIndex(of: dot), before > rest.startIndex,
      words.contains(rest[rest.utf8.index(after: before)...])
    {
      return name[..<before]
    }
    return rest
  }
}
