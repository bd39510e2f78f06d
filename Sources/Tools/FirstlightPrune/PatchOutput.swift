import FirstlightModel
import SystemSupport

/// Where the patch goes: a file, or standard output.
enum PatchOutput {
  /// - Parameter path: nil or `-` is standard output.
  static func write(_ bytes: [UInt8], to path: String?) throws(Failure) {
    guard let path, path != "-" else { return try StandardOutput.write(bytes) }
    try ResultFile.write(bytes, to: path)
    Terminal.report("wrote \(path)")
  }
}
