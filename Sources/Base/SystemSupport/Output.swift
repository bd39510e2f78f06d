import FirstlightModel
import Glibc

/// Where the results of commands go: a file, or standard output.
package enum Output {
  /// Writes the whole text.
  ///
  /// - Parameter path: nil or `-` is standard output.
  /// - Throws: `Failure` of kind `cannotCreate` or `inputOutput` naming the file.
  package static func write(_ text: String, to path: String?) throws(Failure) {
    try write(Array(text.utf8), to: path)
  }

  /// The same of bytes.
  package static func write(_ bytes: [UInt8], to path: String?) throws(Failure) {
    if let path, path != "-" {
      try ResultFile.write(bytes, to: path)
      return Terminal.report("wrote \(path)" + (bytes.isEmpty ? ", which is empty" : ""))
    }
    do throws(SystemError) {
      try FileContents.write(bytes, to: STDOUT_FILENO)
    } catch {
      // The reader closed the pipe, as head(1) does.
      if error.code == EPIPE { exit(0) }
      throw Failure(.inputOutput, "standard output: cannot write: \(error.text)")
    }
  }

  /// Whether what is written there may have colours.
  package static func isColoured(_ path: String?) -> Bool {
    (path == nil || path == "-") && Terminal.showsColours
  }
}
