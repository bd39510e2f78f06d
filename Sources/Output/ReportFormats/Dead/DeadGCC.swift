import DeadCode
import FirstlightModel
import TextFormatting

/// A never-called list as a compiler's warnings, which editors use for navigation (GNU Coding Standards,
/// "Formatting Error Messages").
enum DeadGCC {
  static func text(
    _ list: DeadCodeList, references: ReferenceText? = nil, paths: SourcePaths
  ) -> String {
    list.dead.map { row in
      let place =
        row.file.map { paths.shown($0) + (row.line > 0 ? ":\(row.line)" : "") } ?? row.module
      let kind = row.verdict == .neverCalled ? "never-called" : "below-threshold"
      let text = DeadSentences.text(row, isShort: !list.showsFullNames, references: references)
      return PrintableText.of("\(place): warning: \(text) [\(kind)]") + "\n"
    }.joined()
  }
}
