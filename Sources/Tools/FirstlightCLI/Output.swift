import FirstlightModel
import Glibc
import SystemSupport

/// Where results go: a file that is replaced in one step, or standard output.
enum Output {
  /// Writes the whole text.
  ///
  /// - Parameter path: nil or `-` is standard output.
  /// - Throws: `Failure` of kind `cannotCreate` or `inputOutput` naming the file.
  static func write(_ text: String, to path: String?) throws(Failure) {
    guard let path, path != "-" else { return try writeToStandardOutput(text) }
    try ResultFile.write(text, to: path)
    Terminal.report("wrote \(path)")
  }

  /// Whether what is written there may have colours.
  static func isColoured(_ path: String?) -> Bool {
    (path == nil || path == "-") && Terminal.showsColours
  }

  private static func writeToStandardOutput(_ text: String) throws(Failure) {
    var text = text
    let error = text.withUTF8 { bytes -> Int32 in
      do throws(SystemError) {
        try FileContents.write(UnsafeRawBufferPointer(bytes), to: STDOUT_FILENO)
        return 0
      } catch { return error.code }
    }
    // The reader closed the pipe, as head(1) does.
    if error == EPIPE { exit(0) }
    guard error == 0 else {
      throw Failure(
        .inputOutput, "standard output: cannot write: \(ErrorText.of(error))")
    }
  }
}
