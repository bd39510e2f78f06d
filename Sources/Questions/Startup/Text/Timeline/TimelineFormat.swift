import FirstlightModel
import SystemSupport

/// The output formats of a timeline.
package enum TimelineFormat: String, CaseIterable, Sendable {
  case text, json, html, chrome, folded

  /// The format for a file of this name; nil if its extension is unknown.
  package init?(fileName: String) {
    let ending = fileName.split(at: ".", omittingEmpty: false).last
    switch fileName.containsUTF8(".") ? ending?.lowercased() : nil {
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
  package func bytes(
    _ timeline: Timeline, limit: Int, paths: SourcePaths, style: TextStyle = .plain
  ) throws(Failure) -> [UInt8] {
    switch self {
    case .text: Array(TimelineDocument(timeline: timeline, limit: limit).document.text(style).utf8)
    case .json: Array(try JSONForm.pretty(timeline).utf8)
    case .html: Array(try TimelineHTML.text(timeline, paths: paths).utf8)
    case .chrome: Array(try TimelineChrome.text(timeline).utf8)
    case .folded: Array(TimelineFolded.text(timeline).utf8)
    }
  }
}
