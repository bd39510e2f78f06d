import FirstlightModel
import Glibc

/// Where results go that no file is named for.
package enum StandardOutput {
  /// Writes everything. Ends the process, in silence, if the reader has closed the pipe, as head(1)
  /// does.
  ///
  /// - Throws: `Failure` of kind `inputOutput`.
  package static func write(_ bytes: [UInt8]) throws(Failure) {
    do throws(SystemError) {
      try FileContents.write(bytes, to: STDOUT_FILENO)
    } catch {
      if error.code == EPIPE { exit(0) }
      throw Failure(.inputOutput, "standard output: cannot write: \(error.text)")
    }
  }
}
