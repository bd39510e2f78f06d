import FirstlightModel
import Foundation
import Glibc
import LaunchTimeline
import ReportFormats
import SystemSupport
import TextFormatting

/// Writes results to a file or standard output.
enum Output {
  /// Writes the whole text. A path of nil or `-` means standard output.
  static func write(_ text: String, to path: String?) throws(Failure) {
    try write(Array(text.utf8), to: path)
  }

  static func write(_ bytes: [UInt8], to path: String?) throws(Failure) {
    if let path, path != "-" {
      try ResultFile.write(bytes, to: path)
      return Terminal.report("wrote \(path)")
    }
    do throws(SystemError) {
      try FileContents.write(bytes, to: STDOUT_FILENO)
    } catch {
      // The reader closed the pipe, as head(1) does.
      if error.code == EPIPE { exit(0) }
      throw Failure(.inputOutput, "standard output: cannot write: \(error.text)")
    }
  }

  /// Writes a timeline.
  static func write(
    _ timeline: Timeline, as format: TimelineFormat, limit: Int = 25, to path: String?
  ) throws(Failure) {
    try write(TimelineRendering.bytes(timeline, as: format, limit: limit), to: path)
  }

  /// Writes a report to standard output.
  static func write(
    _ report: some Encodable, as format: TextOrJSON, text: @autoclosure () -> String
  ) throws(Failure) {
    try write(format == .json ? JSONForm.pretty(report) : text(), to: nil)
  }

  /// Whether output to a path may have colours.
  static func isColoured(_ path: String?) -> Bool {
    (path == nil || path == "-") && Terminal.showsColours
  }
}
