import FirstlightModel
import Glibc
import SystemSupport

/// Where the patch goes: a file that is replaced in one step, or standard output.
enum PatchOutput {
  /// - Parameter path: nil or `-` is standard output.
  static func write(_ bytes: [UInt8], to path: String?) throws(Failure) {
    guard let path, path != "-" else {
      do {
        try bytes.withUnsafeBytes { try FileContents.write($0, to: STDOUT_FILENO) }
      } catch {
        throw Failure(.inputOutput, "standard output: cannot write: \(ErrorText.of(errno))")
      }
      return
    }
    try ResultFile.write(bytes, to: path)
    Terminal.report("wrote \(path)")
  }
}
