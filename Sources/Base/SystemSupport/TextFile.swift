import FirstlightModel

/// A text file named on the command line.
package enum TextFile {
  /// The whole file; bytes that are not UTF-8 are replaced. Fails with `.noInput`, naming the file.
  package static func read(_ path: String) throws(Failure) -> String {
    do { return String(decoding: try FileContents.read(path), as: UTF8.self) } catch {
      throw Failure(.noInput, "\(path): \(error.text)")
    }
  }
}
