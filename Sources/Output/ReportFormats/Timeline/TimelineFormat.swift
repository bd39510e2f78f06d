import FirstlightModel
import LaunchTimeline
import TextFormatting

/// The forms a timeline can take.
package enum TimelineFormat: String, CaseIterable, Sendable {
  case text, json, html, chrome, folded

  /// What a file of this name is expected to hold; nil if its ending says nothing.
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
  ///   - limit: rows of each table of the text, and functions of its tree; 0 is all.
  ///   - paths: from the directory that source paths are shown relative to.
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
