/// Formats patches for `git apply` and `patch -p1`.
package enum UnifiedDiff {
  /// Lines of context around a change, as in git.
  private static let context = 3

  /// - Returns: bytes, since sources need not be UTF-8.
  package static func bytes(_ changes: [FileChange]) -> [UInt8] {
    var result: [UInt8] = []
    for change in changes where !change.isEmpty {
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
