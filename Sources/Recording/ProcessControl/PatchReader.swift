import FirstlightModel

/// Reads git's patches without context, as bytes: sources may have any encoding (git-diff(1), "Generating patch text with
/// -p").
struct PatchReader {
  /// The change of one file.
  struct Change {
    /// From the root.
    var path: String
    var isDeleted = false
    /// Git's id of the old text; nil if the file is new.
    var base: String?
    var hunks: [TreeChange.Hunk] = []
    var isSubmodule = false
  }

  private(set) var changes: [Change] = []

  /// - Parameter patch: with whole ids, and with the prefixes `a/` and `b/`.
  init(_ patch: [UInt8]) {
    for line in patch.split(separator: 0x0a) {
      if line.starts(with: "diff --git ".utf8) {
        changes.append(Change(path: Self.name(inHeading: line.dropFirst(11))))
        continue
      }
      guard let last = changes.indices.last, let first = line.first else { continue }
      switch first {
      // Lines of texts, and the names before them, which the heading need not show.
      case UInt8(ascii: "-"), UInt8(ascii: "\\"): break
      case UInt8(ascii: "+"):
        guard changes[last].hunks.isEmpty, line.starts(with: "+++ ".utf8) else { break }
        let name = Self.name(line.dropFirst(4))
        if name.starts(with: "b/".utf8) { changes[last].path = Self.text(name.dropFirst(2)) }
      case UInt8(ascii: "@"): if let hunk = Self.hunk(line) { changes[last].hunks.append(hunk) }
      default:
        if line.starts(with: "deleted file mode ".utf8) { changes[last].isDeleted = true }
        if line.starts(with: "rename to ".utf8) {
          changes[last].path = Self.text(Self.name(line.dropFirst(10)))
        }
        if line.starts(with: "index ".utf8) { changes[last].base = Self.base(line.dropFirst(6)) }
        if line.suffix(7).elementsEqual(" 160000".utf8) { changes[last].isSubmodule = true }
        // A file that git takes for binary, perhaps by an attribute, may be a source: all of it counts.
        if line.starts(with: "Binary files ".utf8) { changes[last].hunks = [.wholeFile] }
      }
    }
  }

  /// The id before the dots; nil for that of no file, all zeros.
  private static func base(_ ids: ArraySlice<UInt8>) -> String? {
    let id = ids.prefix { $0 != UInt8(ascii: ".") }
    return id.allSatisfy { $0 == UInt8(ascii: "0") } ? nil : String(decoding: id, as: UTF8.self)
  }

  /// The lines of `@@ -12,2 +14,3 @@`. One line has no count.
  private static func hunk(_ line: ArraySlice<UInt8>) -> TreeChange.Hunk? {
    let words = line.split(separator: UInt8(ascii: " "), maxSplits: 3)
    guard words.count > 2 else { return nil }
    func numbers(_ word: ArraySlice<UInt8>) -> (start: Int, count: Int)? {
      let parts = String(decoding: word.dropFirst(), as: UTF8.self).split(at: ",")
      guard let start = parts.first.flatMap({ Int($0) }) else { return nil }
      return (start, parts.count > 1 ? Int(parts[1]) ?? 0 : 1)
    }
    guard let old = numbers(words[1]), let new = numbers(words[2]) else { return nil }
    // Without new lines, the number is that of the line before.
    let start = new.count == 0 ? new.start + 1 : new.start
    return TreeChange.Hunk(lines: start..<start + new.count, isAddition: old.count == 0)
  }

  /// The name in `a/NAME b/NAME`, of which each may stand in quotes. Renamed files have lines of their own.
  private static func name(inHeading names: ArraySlice<UInt8>) -> String {
    text(name(names.suffix(names.count / 2)).dropFirst(2))
  }

  /// A name without the tab that ends one with blanks, and without the quotes and escapes of one with control
  /// characters, quotes, or bytes beyond ASCII.
  static func name(_ word: ArraySlice<UInt8>) -> [UInt8] {
    guard word.first == UInt8(ascii: "\"") else {
      return Array(word.last == 0x09 ? word.dropLast() : word)
    }
    var name: [UInt8] = []
    var rest = word.dropFirst()
    while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
      guard byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() else {
        name.append(byte)
        continue
      }
      switch escaped {
      case UInt8(ascii: "a"): name.append(0x07)
      case UInt8(ascii: "b"): name.append(0x08)
      case UInt8(ascii: "t"): name.append(0x09)
      case UInt8(ascii: "n"): name.append(0x0a)
      case UInt8(ascii: "v"): name.append(0x0b)
      case UInt8(ascii: "f"): name.append(0x0c)
      case UInt8(ascii: "r"): name.append(0x0d)
      case UInt8(ascii: "0")...UInt8(ascii: "7"):
        let digits = [escaped] + rest.prefix(2)
        rest = rest.dropFirst(2)
        name.append(digits.reduce(0) { $0 &* 8 &+ ($1 &- UInt8(ascii: "0")) })
      default: name.append(escaped)
      }
    }
    return name
  }

  private static func text(_ name: some Collection<UInt8>) -> String {
    String(decoding: name, as: UTF8.self)
  }
}
