import FirstlightModel
import Reports
import SystemSupport

/// The output formats of a never-called list.
package enum DeadFormat: String, CaseIterable, Sendable {
  case text, json, lcov, sarif
  case githubActions = "github-actions"
  case markdown, html

  /// Whether the format includes tests and dependencies: formats for programs are complete.
  package var isComplete: Bool {
    switch self {
    case .json, .lcov, .html: true
    default: false
    }
  }

  /// Whether the format has sentences on the list as a whole.
  package var hasSentences: Bool { [.text, .markdown, .html].contains(self) }

  /// The media type in HTTP.
  package var mediaType: String {
    switch self {
    case .text, .lcov, .githubActions: "text/plain; charset=utf-8"
    case .json: "application/json"
    case .sarif: "application/sarif+json"
    case .markdown: "text/markdown; charset=utf-8"
    case .html: "text/html; charset=utf-8"
    }
  }

  /// The exact contents of the page's script element, so that a policy can allow this script and no other.
  package static var pageScript: String { HTMLPage.scriptText(DeadHTML.script) }

  /// - Parameters:
  ///   - references: the references to the functions, if an index was read.
  ///   - paths: relative to the directory from which paths are shown.
  ///   - links: relative to the directory of the text, for pages.
  package func text(
    _ list: DeadCodeList, references: FunctionReferences? = nil, paths: SourcePaths,
    links: SourcePaths, style: TextStyle = .plain
  ) throws(Failure) -> String {
    let column = references.map { ReferenceText(references: $0, paths: paths) }
    return switch self {
    case .text: list.document(column, paths).text(style)
    case .json: try JSONForm.pretty(DeadJSON(list: list, references: references))
    case .lcov: DeadLCOV.text(list)
    case .sarif: try DeadSARIF.text(list, references: column, paths: paths)
    case .githubActions: DeadGitHubActions.text(list, references: column, paths: paths)
    case .markdown: list.summary(column, paths).markdown
    case .html: try DeadHTML.text(list, references: column, paths: paths, links: links)
    }
  }
}
