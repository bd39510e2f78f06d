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

  /// Whether output to a path may have colours.
  package static func isColoured(_ path: String?) -> Bool {
    (path == nil || path == "-") && Terminal.showsColours
  }
}
