import FirstlightModel
import Glibc
import SystemSupport
import TextFormatting

/// Writes results to a file or standard output.
enum Output {
  /// Writes the whole text. A path of nil or `-` means standard output.
  static func write(_ text: String, to path: String?) throws(Failure) {
    if let path, path != "-" {
      try ResultFile.write(text, to: path)
      return Terminal.report("wrote \(path)")
    }
    do throws(SystemError) {
      try FileContents.write(Array(text.utf8), to: STDOUT_FILENO)
    } catch {
      // The reader closed the pipe, as head(1) does.
      if error.code == EPIPE { exit(0) }
      throw Failure(.inputOutput, "standard output: cannot write: \(error.text)")
    }
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
