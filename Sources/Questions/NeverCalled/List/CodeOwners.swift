/// A CODEOWNERS file: the owners of each source file.
///
/// Each line has a pattern as in gitignore, and owners. The last pattern that matches a file counts (GitHub's
/// documentation, "About code owners").
package struct CodeOwners: Sendable {
  private struct Rule {
    var pattern: [UInt8]
    var isAnchored: Bool
    var isFolder: Bool
    var owners: [String]
  }

  private let rules: [Rule]

  package init(_ text: String) {
    var rules: [Rule] = []
    for line in text.lines {
      let words = line.prefix(upToAny: "#").words
      // GitLab's section headings name no files.
      guard let first = words.first, !first.begins(with: "["), !first.begins(with: "^[") else {
        continue
      }
      var pattern = first.removing(suffix: "/") ?? first
      let isFolder = pattern.utf8.count < first.utf8.count
      let isAnchored = pattern.containsUTF8("/")
      pattern = pattern.removing(prefix: "/") ?? pattern
      rules.append(
        Rule(
          pattern: Array(pattern.utf8), isAnchored: isAnchored, isFolder: isFolder,
          owners: words.dropFirst().map(String.init)))
    }
    self.rules = rules
  }

  /// The owners of a file. Empty if no pattern matches, or if the last pattern that matches has no owners.
  ///
  /// - Parameter path: relative to the repository's root.
  package func owners(of path: String) -> [String] {
    let path = Array(path.utf8)
    return rules.last { Self.fits($0, path) }?.owners ?? []
  }

  private static let slash = UInt8(ascii: "/")

  private static func fits(_ rule: Rule, _ path: [UInt8]) -> Bool {
    let ends = path.indices.filter { path[$0] == slash } + [path.count]
    let starts =
      rule.isAnchored ? [0] : [0] + path.indices.filter { path[$0] == slash }.map { $0 + 1 }
    // `docs/*` matches the files in docs, not those in folders below docs.
    let isDirect = rule.pattern.suffix(2) == [slash, UInt8(ascii: "*")]
    for start in starts {
      for end in ends where end > start {
        let isFile = end == path.count
        if isFile ? rule.isFolder : isDirect { continue }
        if matches(rule.pattern[...], path[start..<end]) { return true }
      }
    }
    return false
  }

  /// `*` and `?` stay within a folder, `**` does not.
  private static func matches(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    if first == UInt8(ascii: "*") {
      if rest.first == UInt8(ascii: "*") {
        let after = rest.dropFirst()
        // `**/` also stands for no folder at all.
        if after.first == slash, matches(after.dropFirst(), text) { return true }
        return text.startIndex <= text.endIndex
          && (text.startIndex...text.endIndex).contains { matches(after, text[$0...]) }
      }
      for place in text.startIndex...text.endIndex {
        if matches(rest, text[place...]) { return true }
        if place < text.endIndex, text[place] == slash { return false }
      }
      return false
    }
    guard let byte = text.first else { return false }
    if first == UInt8(ascii: "?") ? byte == slash : first != byte { return false }
    return matches(rest, text.dropFirst())
  }
}
