import FirstlightModel

/// The conditionally compiled lines of a C file.
struct PreprocessorBranches {
  private let lines: SourceLines
  /// By line: the number of conditions around it.
  private let depths: [Int]
  /// The lines of directives, from 0, in order.
  private let directiveLines: [Int]

  init(_ lines: SourceLines) {
    self.lines = lines
    var depths = [Int](repeating: 0, count: lines.count)
    var directives: [(line: Int, word: String)] = []
    var start = 0
    for line in 0..<lines.count {
      let end = lines.end(of: min(start, max(lines.bytes.count - 1, 0)))
      if let word = Self.directive(lines.bytes[start..<max(start, end)]) {
        directives.append((line, word))
      }
      start = max(start, end)
    }
    directiveLines = directives.map(\.line)
    let guardLines = Self.includeGuard(directives)
    var depth = 0
    var next = directives[...]
    for line in depths.indices {
      if let directive = next.first, directive.line == line {
        next.removeFirst()
        let counts = !guardLines.contains(line)
        if directive.word.begins(with: "if"), counts { depth += 1 }
        depths[line] = depth
        if directive.word == "endif", counts { depth = max(0, depth - 1) }
      } else {
        depths[line] = depth
      }
    }
    self.depths = depths
  }

  /// Whether any of these bytes is compiled under a condition that begins or ends outside of them.
  func isConditional(_ range: Range<Int>) -> Bool {
    let (first, last) = (lines.line(of: range.lowerBound), lines.line(of: range.upperBound - 1))
    return depths[first - 1] != 0 || depths[last - 1] != 0
  }

  /// Whether a line of these bytes is the preprocessor's.
  func hasDirective(in range: Range<Int>) -> Bool {
    let (first, last) = (lines.line(of: range.lowerBound), lines.line(of: range.upperBound - 1))
    let next = directiveLines.partitioningIndex { $0 >= first - 1 }
    return next < directiveLines.count && directiveLines[next] <= last - 1
  }

  /// `if` of `  #  ifdef X`.
  private static func directive(_ line: ArraySlice<UInt8>) -> String? {
    let text = line.drop(while: SourceLines.isSpace)
    guard text.first == UInt8(ascii: "#") else { return nil }
    let word = text.dropFirst().drop(while: SourceLines.isSpace).prefix {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
    }
    return String(decoding: word, as: UTF8.self)
  }

  /// The lines of an include guard: `#ifndef` followed by `#define`, and the last `#endif`.
  private static func includeGuard(_ directives: [(line: Int, word: String)]) -> Set<Int> {
    guard directives.count >= 3, directives[0].word == "ifndef", directives[1].word == "define",
      directives[1].line == directives[0].line + 1, let last = directives.last,
      last.word == "endif"
    else { return [] }
    return [directives[0].line, last.line]
  }
}
