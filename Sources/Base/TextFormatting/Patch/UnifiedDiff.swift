/// Formats patches for `git apply` and `patch -p1`.
package enum UnifiedDiff {
  /// Lines of context around a change, as in git.
  private static let context = 3

  /// - Returns: bytes, since sources need not be UTF-8.
  package static func bytes(_ changes: [FileChange]) -> [UInt8] {
    var result: [UInt8] = []
    for change in changes where !change.removed.allSatisfy(\.isEmpty) {
      result += header(change).utf8
      let lines = ChangedLines(change)
      var shift = 0
      for hunk in hunks(lines) { result += text(hunk, lines, shift: &shift, change) }
    }
    return result
  }

  private static func header(_ change: FileChange) -> String {
    let (old, new) = (PatchPath("a/" + change.path), PatchPath("b/" + change.path))
    var text = "diff --git \(old.quoted) \(new.quoted)\n"
    if change.isDeleted {
      text += "deleted file mode \(change.isExecutable ? "100755" : "100644")\n"
    }
    return text + "--- \(old.lineText)\n+++ \(change.isDeleted ? "/dev/null" : new.lineText)\n"
  }

  // MARK: Hunks

  /// Groups changes whose context lines touch.
  private static func hunks(_ lines: ChangedLines) -> [[ChangedLines.Change]] {
    var hunks: [[ChangedLines.Change]] = []
    for change in lines.changes {
      if let last = hunks.last?.last, change.old.lowerBound - last.old.upperBound <= 2 * context {
        hunks[hunks.count - 1].append(change)
      } else {
        hunks.append([change])
      }
    }
    return hunks
  }

  /// - Parameter shift: number of lines that earlier changes added to the file.
  private static func text(
    _ hunk: [ChangedLines.Change], _ lines: ChangedLines, shift: inout Int, _ change: FileChange
  ) -> [UInt8] {
    let first = max(0, hunk[0].old.lowerBound - context)
    let end = min(lines.lines.count, hunk[hunk.count - 1].old.upperBound + context)
    var body: [UInt8] = []
    var added = 0
    var place = first
    for change in hunk {
      for line in lines.lines[place..<change.old.lowerBound] { add(line, " ", to: &body) }
      for line in lines.lines[change.old] { add(line, "-", to: &body) }
      for line in change.new { add(line, "+", to: &body) }
      added += change.new.count - change.old.count
      place = change.old.upperBound
    }
    for line in lines.lines[place..<end] { add(line, " ", to: &body) }
    let count = end - first
    let old = span(first, count)
    let new = span(first + shift, count + added)
    shift += added
    return Array("@@ -\(old) +\(new) @@\n".utf8) + body
  }

  /// Lines count from 1; an empty range has the number of the preceding line.
  private static func span(_ first: Int, _ count: Int) -> String {
    count == 0 ? "\(first),0" : "\(first + 1),\(count)"
  }

  private static func add(_ line: ArraySlice<UInt8>, _ sign: Character, to body: inout [UInt8]) {
    body += String(sign).utf8
    body += line
    if line.last != UInt8(ascii: "\n") { body += "\n\\ No newline at end of file\n".utf8 }
  }
}

/// A file with parts to remove.
package struct FileChange: Hashable, Sendable {
  /// Path relative to the folder of the patch.
  package var path: String
  package var source: [UInt8]
  /// Byte ranges of the source to remove, sorted and separate.
  package var removed: [Range<Int>]
  /// Whether to remove the whole file.
  package var isDeleted: Bool
  package var isExecutable: Bool

  package init(
    path: String, source: [UInt8], removed: [Range<Int>], isDeleted: Bool = false,
    isExecutable: Bool = false
  ) {
    self.path = path
    self.source = source
    self.removed = isDeleted ? [0..<source.count] : removed
    self.isDeleted = isDeleted
    self.isExecutable = isExecutable
  }

  /// The rest of the file.
  package var result: [UInt8] {
    var result: [UInt8] = []
    var place = 0
    for range in removed {
      result += source[place..<range.lowerBound]
      place = range.upperBound
    }
    return result + source[place...]
  }
}

/// A path in the form of patches.
struct PatchPath {
  /// Quoted if git would parse it differently otherwise (core.quotePath of git-config(1)).
  let quoted: String
  private let hasSpace: Bool

  init(_ path: String) {
    let isPlain = path.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5c && $0 != 0x7f }
    quoted = isPlain ? path : "\"" + path.utf8.map(Self.escaped).joined() + "\""
    hasSpace = isPlain && path.contains(" ")
  }

  /// The form on a separate line: a tab marks the end of a path with spaces.
  var lineText: String { hasSpace ? quoted + "\t" : quoted }

  private static func escaped(_ byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "\""): return "\\\""
    case UInt8(ascii: "\\"): return "\\\\"
    case UInt8(ascii: "\n"): return "\\n"
    case UInt8(ascii: "\t"): return "\\t"
    case 0x20..<0x7f: return String(UnicodeScalar(byte))
    default:
      let digits = String(byte, radix: 8)
      return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }
  }
}

/// A file's lines, and the ranges that a change replaces.
struct ChangedLines {
  /// The removed lines, and their replacement.
  struct Change {
    var old: Range<Int>
    var new: [ArraySlice<UInt8>]
  }

  /// The lines with their line ends.
  let lines: [ArraySlice<UInt8>]
  private(set) var changes: [Change] = []

  init(_ change: FileChange) {
    lines = Self.split(change.source[...])
    var first = 0
    var open: (lines: Range<Int>, ranges: [Range<Int>])?
    for range in change.removed where !range.isEmpty {
      while lines[first].endIndex <= range.lowerBound { first += 1 }
      var last = first
      while lines[last].endIndex < range.upperBound { last += 1 }
      if let group = open, group.lines.upperBound > first {
        open = (group.lines.lowerBound..<last + 1, group.ranges + [range])
      } else {
        close(open, change.source)
        open = (first..<last + 1, [range])
      }
    }
    close(open, change.source)
  }

  private mutating func close(
    _ group: (lines: Range<Int>, ranges: [Range<Int>])?, _ source: [UInt8]
  ) {
    guard let group else { return }
    var rest: [UInt8] = []
    var place = lines[group.lines.lowerBound].startIndex
    for range in group.ranges {
      rest += source[place..<range.lowerBound]
      place = range.upperBound
    }
    rest += source[place..<lines[group.lines.upperBound - 1].endIndex]
    changes.append(Change(old: group.lines, new: Self.split(rest[...])))
  }

  private static func split(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var rest = bytes
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(rest[...end])
      rest = rest[(end + 1)...]
    }
    return rest.isEmpty ? lines : lines + [rest]
  }
}
