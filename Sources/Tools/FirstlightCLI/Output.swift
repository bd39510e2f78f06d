import FirstlightModel
import SystemSupport

/// Where results go: a file, or standard output.
enum Output {
  /// Writes the whole text.
  ///
  /// - Parameter path: nil or `-` is standard output.
  /// - Throws: `Failure` of kind `cannotCreate` or `inputOutput` naming the file.
  static func write(_ text: String, to path: String?) throws(Failure) {
    guard let path, path != "-" else { return try StandardOutput.write(Array(text.utf8)) }
    try ResultFile.write(text, to: path)
    Terminal.report("wrote \(path)")
  }

  /// Fails with `.cannotCreate` if one of these could not be written now: call it before long work.
  static func check(_ paths: String?...) throws(Failure) {
    for case let path? in paths { try ResultFile.checkWritable(path) }
  }

  /// Whether what is written there may have colours.
  static func isColoured(_ path: String?) -> Bool {
    (path == nil || path == "-") && Terminal.showsColours
  }
}
