import DeadCode
import FirstlightModel
import References
import TextFormatting

/// The forms a never-called list can take.
package enum DeadFormat: String, CaseIterable, Sendable {
  case text, json, csv, lcov, sarif, checkstyle, codeclimate
  case githubActions = "github-actions"
  case gcc, markdown, html

  /// Whether it has tests and dependencies beside one's own code: what programs read is complete.
  package var isComplete: Bool {
    switch self {
    case .json, .csv, .lcov, .html: true
    default: false
    }
  }

  /// What HTTP calls it.
  package var mediaType: String {
    switch self {
    case .text, .lcov, .githubActions, .gcc: "text/plain; charset=utf-8"
    case .json, .codeclimate: "application/json"
    case .csv: "text/csv; charset=utf-8"
    case .sarif: "application/sarif+json"
    case .checkstyle: "application/xml"
    case .markdown: "text/markdown; charset=utf-8"
    case .html: "text/html; charset=utf-8"
    }
  }

  /// What the script element of the page holds, to the byte: a policy can allow it and no other.
  package static var pageScript: String { HTMLPage.scriptText(DeadHTML.script) }

  /// - Parameters:
  ///   - references: to the functions, if an index was read.
  ///   - paths: from the directory that paths are shown relative to.
  ///   - links: from the directory where the text will lie, for pages.
  package func text(
    _ list: DeadCodeList, references: FunctionReferences? = nil, paths: SourcePaths,
    links: SourcePaths
  ) throws(Failure) -> String {
    let column = references.map { ReferenceText(references: $0, paths: paths) }
    return switch self {
    case .text: DeadText.text(list, references: references, paths: paths)
    case .json: try JSONForm.pretty(DeadJSON(list: list, references: references))
    case .csv: DeadCSV.text(list, references: column, paths: paths)
    case .lcov: DeadLCOV.text(list)
    case .sarif: try DeadSARIF.text(list, references: column, paths: paths)
    case .checkstyle: DeadCheckstyle.text(list, references: column, paths: paths)
    case .codeclimate: try DeadCodeClimate.text(list, references: column, paths: paths)
    case .githubActions: DeadGitHubActions.text(list, references: column, paths: paths)
    case .gcc: DeadGCC.text(list, references: column, paths: paths)
    case .markdown: DeadMarkdown.text(list, references: column, paths: paths)
    case .html: try DeadHTML.text(list, references: column, paths: paths, links: links)
    }
  }
}
