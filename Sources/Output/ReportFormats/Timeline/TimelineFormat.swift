import FirstlightModel
import LaunchTimeline
import TextFormatting

/// The output formats of a timeline.
package enum TimelineFormat: String, CaseIterable, Sendable {
  case text, json, html, chrome, folded

  /// The format for a file of this name; nil if its extension is unknown.
  package init?(fileName: String) {
    let ending = fileName.split(separator: ".", omittingEmptySubsequences: false).last
    switch fileName.contains(".") ? ending?.lowercased() : nil {
    case "html", "htm": self = .html
    case "json": self = .chrome
    case "folded", "collapsed": self = .folded
    case "txt": self = .text
    default: return nil
    }
  }

  /// - Parameters:
  ///   - limit: the most rows of each table of the text, and functions of its tree; 0: all.
  ///   - paths: relative to the directory from which source paths are shown.
  package func text(_ timeline: Timeline, limit: Int, paths: SourcePaths) throws(Failure) -> String
  {
    switch self {
    case .text: TimelineText(timeline: timeline, limit: limit).text
    case .json: try JSONForm.pretty(timeline)
    case .html: try TimelineHTML.text(timeline, paths: paths)
    case .chrome: try TimelineChrome.text(timeline)
    case .folded: TimelineFolded.text(timeline)
    }
  }
}
