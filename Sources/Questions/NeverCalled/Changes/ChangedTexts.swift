import FirstlightModel
import ProcessControl
import SystemSupport

/// The texts of changed files, before and after.
struct ChangedTexts {
  private var old = LineSequences()
  private var new = LineSequences()
  private var lines: [TextBytes: [Int]] = [:]

  /// - Parameter isSource: whether functions may have come from a file, or gone there.
  init(_ tree: TreeChange, _ repository: GitRepository, where isSource: (String) -> Bool) {
    for text in repository.texts(tree.bases.filter { isSource($0.path) }.map(\.id)) {
      old.add(LineSequences.lines(text))
    }
    for file in tree.files where isSource(file.path) {
      guard let text = try? FileContents.read(file.path) else { continue }
      let lines = LineSequences.lines(text)
      new.add(lines)
      self.lines[file.path] = lines
    }
  }

  /// Whether lines of a changed file only moved: they stood somewhere as often as they do now.
  func isMoved(_ extent: ClosedRange<Int>, of file: String) -> Bool {
    guard let lines = lines[file], extent.lowerBound > 0, extent.upperBound <= lines.count else {
      return false
    }
    let text = lines[extent.lowerBound - 1..<extent.upperBound]
    let before = old.count(text)
    return before > 0 && before >= new.count(text)
  }

  /// The number of changed lines of a file outside of functions. Blank lines do not count.
  func count(of file: TreeChange.File, outside extents: [ClosedRange<Int>]) -> Int {
    guard let lines = lines[file.path] else { return 0 }
    return file.hunks.reduce(0) { sum, hunk in
      sum
        + hunk.lines.clamped(to: 1..<lines.count + 1).count { line in
          lines[line - 1] != LineSequences.blank && !extents.contains { $0.contains(line) }
        }
    }
  }
}
