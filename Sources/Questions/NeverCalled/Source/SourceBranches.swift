import FirstlightModel

/// The lines of a file that are compiled under a condition.
package struct SourceBranches {
  private let source: SourceText
  /// By line, from 0: the number of conditions around it.
  private let depths: [Int]

  package init(_ source: SourceText) {
    self.source = source
    var depths = [Int](repeating: 0, count: source.lineCount)
    let guarding = Self.includeGuard(source)
    var (depth, line) = (0, 0)
    for (number, directive) in source.directives.enumerated() where !guarding.contains(number) {
      let place = source.line(of: directive.range.lowerBound) - 1
      while line < place {
        depths[line] = depth
        line += 1
      }
      if directive.word.begins(with: "if") { depth += 1 }
      depths[place] = depth
      line = place + 1
      if directive.word == "endif" { depth = max(0, depth - 1) }
    }
    for rest in line..<max(line, depths.count) { depths[rest] = depth }
    self.depths = depths
  }

  /// Whether any of these bytes is compiled under a condition that begins or ends outside of them.
  package func isConditional(_ range: Range<Int>) -> Bool {
    [range.lowerBound, range.upperBound - 1].contains { depths[source.line(of: $0) - 1] != 0 }
  }

  /// Whether a line of these bytes is the preprocessor's.
  package func hasDirective(in range: Range<Int>) -> Bool {
    let directives = source.directives
    let next = directives.partitioningIndex {
      $0.range.upperBound > source.start(of: range.lowerBound)
    }
    return next < directives.count && directives[next].range.lowerBound < range.upperBound
  }

  /// The directives of an include guard: `#ifndef` followed by `#define`, and the last `#endif`.
  private static func includeGuard(_ source: SourceText) -> Set<Int> {
    let all = source.directives
    guard all.count >= 3, all[0].word == "ifndef", all[1].word == "define",
      source.line(of: all[1].range.lowerBound) == source.line(of: all[0].range.lowerBound) + 1,
      all[all.count - 1].word == "endif"
    else { return [] }
    return [0, all.count - 1]
  }
}
