import FirstlightModel
import Glibc
import SystemSupport

/// Writes the patch to a file or standard output.
enum PatchOutput {
  /// - Parameter path: nil or `-` means standard output.
  static func write(_ bytes: [UInt8], to path: String?) throws(Failure) {
    guard let path, path != "-" else {
      do throws(SystemError) { try FileContents.write(bytes, to: STDOUT_FILENO) } catch {
        throw Failure(.inputOutput, "standard output: cannot write: \(error.text)")
      }
      return
    }
    try ResultFile.write(bytes, to: path)
    Terminal.report("wrote \(path)" + (bytes.isEmpty ? ", which is empty" : ""))
  }
}
