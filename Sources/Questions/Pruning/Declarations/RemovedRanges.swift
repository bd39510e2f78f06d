import FirstlightModel
import NeverCalled

/// Tidies up the removed ranges of a file: a declaration's line and trailing comment are removed
/// with it, and one blank line remains of those around it.
struct RemovedRanges {
  private let lines: SourceText

  init(_ lines: SourceText) { self.lines = lines }

  private var bytes: [UInt8] { lines.bytes }

  /// The range to remove with a declaration.
  ///
  /// - Parameters:
  ///   - range: from the first token to the last one.
  ///   - comments: start of the attached comments above the declaration.
  func range(of range: Range<Int>, comments: Int) -> Range<Int> {
    let lineStart = lines.start(of: comments)
    let isFirst = lines.isBlank(lineStart..<comments)
    let rest = restOfLine(from: range.upperBound)
    switch (isFirst, rest) {
    case (true, nil): return lineStart..<lines.end(of: max(range.upperBound - 1, comments))
    case (true, let next?): return comments..<next
    case (false, _): return withSpaceBefore(comments)..<range.upperBound
    }
  }

  /// Start of other code on the rest of the line; nil if there is at most a comment.
  private func restOfLine(from place: Int) -> Int? {
    var place = place
    while place < bytes.count, bytes[place] != UInt8(ascii: "\n") {
      if bytes[place].isASCIISpace {
        place += 1
      } else if let comment = lines.comment(at: place), comment.upperBound <= lines.end(of: place) {
        place = comment.upperBound
      } else {
        return place
      }
    }
    return nil
  }

  private func withSpaceBefore(_ place: Int) -> Int {
    var place = place
    while place > 0, bytes[place - 1] == UInt8(ascii: " ") || bytes[place - 1] == 9 { place -= 1 }
    return place
  }

  // MARK: Blank lines

  /// Merges ranges with only white space between them, and removes blank lines that no longer
  /// separate anything.
  func tidied(_ ranges: [Range<Int>]) -> [Range<Int>] {
    var merged: [Range<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = merged.last, joins(last, range) {
        merged[merged.count - 1] =
          last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    return merged.map { isWholeLines($0) ? withoutBlankLines($0) : $0 }
  }

  private func joins(_ first: Range<Int>, _ second: Range<Int>) -> Bool {
    if second.lowerBound <= first.upperBound { return true }
    return isWholeLines(first) && isWholeLines(second)
      && lines.isBlank(first.upperBound..<second.lowerBound)
  }

  private func isWholeLines(_ range: Range<Int>) -> Bool {
    isLineStart(range.lowerBound)
      && (range.upperBound == bytes.count || isLineStart(range.upperBound))
  }

  private func isLineStart(_ place: Int) -> Bool {
    place == 0 || bytes[place - 1] == UInt8(ascii: "\n")
  }

  private func withoutBlankLines(_ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    let before = lines.lastVisible(before: start)
    let next = lines.firstVisible(from: end)
    let isOpened = before.map { bytes[$0] == UInt8(ascii: "{") } ?? true
    let isClosed = next.map { bytes[$0] == UInt8(ascii: "}") } ?? true
    // The end of the preceding line.
    let afterBefore = before.map { lines.end(of: $0) } ?? 0
    if isOpened || isClosed || afterBefore < start {
      end = next.map { lines.start(of: $0) } ?? bytes.count
    }
    if isClosed { start = min(start, afterBefore) }
    return start..<max(end, range.upperBound)
  }
}
