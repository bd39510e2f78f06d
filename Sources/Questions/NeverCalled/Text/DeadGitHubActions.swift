import FirstlightModel
import SystemSupport

/// A never-called list as commands with which GitHub Actions annotates the sources (GitHub's documentation,
/// "Workflow commands").
enum DeadGitHubActions {
  static func text(
    _ list: DeadCodeList, references: ReferenceText? = nil, paths: SourcePaths
  ) -> String {
    list.dead.map { row in
      let place =
        row.file.map { file in
          "file=\(Escaping.annotationProperty(paths.relative(file)))"
            + (row.line > 0 ? ",line=\(row.line)" : "") + ","
        } ?? ""
      let title = row.verdict == .neverCalled ? "Never called" : "Rarely called"
      let text = DeadSentences.text(
        row, isShort: !list.showsFullNames, references: references)
      return "::warning \(place)title=\(title)::\(Escaping.annotationMessage(text))\n"
    }.joined()
  }
}
