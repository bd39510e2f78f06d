import FirstlightModel
import LaunchTimeline
import TextFormatting

/// The output formats of a timeline.
package enum TimelineFormat: String, CaseIterable, Sendable {
  case text, json, html, chrome, folded, pprof

  /// The format for a file of this name; nil if its extension is unknown.
  package init?(fileName: String) {
    let ending = fileName.split(separator: ".", omittingEmptySubsequences: false).last
    switch fileName.contains(".") ? ending?.lowercased() : nil {
    case "html", "htm": self = .html
    case "json": self = .chrome
    case "folded", "collapsed": self = .folded
    case "txt": self = .text
    case "pb", "gz", "pprof": self = .pprof
    default: return nil
    }
  }

  /// - Parameters:
  ///   - limit: the most rows of each table of the text, and functions of its tree; 0: all.
  ///   - paths: relative to the directory from which source paths are shown.
  package func bytes(
    _ timeline: Timeline, limit: Int, paths: SourcePaths
  ) throws(Failure) -> [UInt8] {
    switch self {
    case .text: Array(TimelineText(timeline: timeline, limit: limit).text.utf8)
    case .json: Array(try JSONForm.pretty(timeline).utf8)
    case .html: Array(try TimelineHTML.text(timeline, paths: paths).utf8)
    case .chrome: Array(try TimelineChrome.text(timeline).utf8)
    case .folded: Array(TimelineFolded.text(timeline).utf8)
    case .pprof: try TimelinePprof.bytes(timeline)
    }
  }
}
