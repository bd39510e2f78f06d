import FirstlightModel
import Startup
import SystemSupport

extension Output {
  /// Writes a timeline.
  static func write(
    _ timeline: Timeline, as format: TimelineFormat, limit: Int = 25, to path: String?
  ) throws(Failure) {
    try write(
      TimelineRendering.bytes(timeline, as: format, limit: limit, style: style(path)), to: path)
  }

  /// Writes a report to standard output.
  static func write(
    _ report: some Encodable, as format: TextOrJSON, text: @autoclosure () -> String
  ) throws(Failure) {
    try write(format == .json ? JSONForm.pretty(report) : text(), to: nil)
  }
}
