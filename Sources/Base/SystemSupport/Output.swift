import FirstlightModel
import Glibc

/// Writes results to a file or standard output.
package enum Output {
  /// Writes the whole text. A path of nil or `-` means standard output.
  ///
  /// - Throws: `Failure` of kind `cannotCreate` naming the file, or `inputOutput`.
  package static func write(_ text: String, to path: String?) throws(Failure) {
    try write(Array(text.utf8), to: path)
  }

  /// Writes a line to standard output, and fails if it has no space left, which `print` does not notice.
  package static func line(_ text: String) throws(Failure) {
    try write(text + "\n", to: nil)
  }

  /// Writes a line to standard output.
  ///
  /// - Returns: the failure; nil: it was written.
  package static func failure(writing text: String) -> Failure? {
    do throws(Failure) {
      try line(text)
      return nil
    } catch { return error }
  }

  package static func write(_ bytes: [UInt8], to path: String?) throws(Failure) {
    if let path, path != "-" {
      try ResultFile.write(bytes, to: path)
      return Terminal.report("wrote \(path)")
    }
    do throws(SystemError) {
      try FileContents.write(bytes, to: STDOUT_FILENO)
    } catch {
      // The reader has closed the pipe, as head(1) does, and needs no more.
      if error.code == EPIPE { return }
      throw Failure(.inputOutput, "standard output: cannot write: \(error.text)")
    }
  }

  /// The style of text for a path: a terminal's width and colours for standard output on one.
  package static func style(_ path: String? = nil) -> TextStyle {
    guard path == nil || path == "-" else { return .plain }
    var size = winsize()
    let isTerminal = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return TextStyle(
      width: isTerminal ? max(40, Int(size.ws_col)) : TextStyle.plain.width,
      isColoured: Terminal.showsColours)
  }
}
