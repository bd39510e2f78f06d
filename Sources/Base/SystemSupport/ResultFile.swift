import FirstlightModel
import Glibc

/// A file that a result goes into: replaced in one step, so that nobody reads half of it.
package enum ResultFile {
  /// Writes the whole text. A device or a pipe is written to, not replaced.
  ///
  /// - Throws: `Failure` of kind `cannotCreate` naming the file.
  package static func write(_ text: String, to path: String) throws(Failure) {
    try write(Array(text.utf8), to: path)
  }

  /// The same of bytes.
  package static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
    var status = stat()
    let isSpecial = stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    let temporary = isSpecial ? path : "\(path).\(getpid()).partial"
    guard let file = fopen(temporary, "w") else { throw cannotCreate(path) }
    let written = bytes.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) == $0.count }
    guard fclose(file) == 0, written, isSpecial || rename(temporary, path) == 0 else {
      let failure = cannotCreate(path)
      if !isSpecial { unlink(temporary) }
      throw failure
    }
  }

  /// Replaces what is in a file, which keeps its mode.
  ///
  /// - Throws: `Failure` of kind `cannotCreate` naming the file.
  package static func overwrite(_ bytes: [UInt8], at path: String) throws(Failure) {
    guard let file = fopen(path, "w") else { throw cannotCreate(path) }
    let written = bytes.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) == $0.count }
    guard fclose(file) == 0, written else { throw cannotCreate(path) }
  }

  /// Fails with `.cannotCreate` if a result could not be written there now.
  package static func checkWritable(_ path: String) throws(Failure) {
    let parent = path.contains("/") ? String(path[...path.lastIndex(of: "/")!]) : "."
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      throw Failure(.cannotCreate, "\(path): is a directory", advice: "choose a file with -o")
    }
    guard access(parent, W_OK | X_OK) == 0 else {
      throw Failure(
        .cannotCreate, "\(parent): cannot write here: \(ErrorText.of(errno))",
        advice: "choose another place with -o")
    }
  }

  /// `NAME.EXT`, or `NAME-2.EXT` and so on: the first that is not there.
  package static func unused(_ name: String, extension fileExtension: String) -> String {
    var path = "\(name).\(fileExtension)"
    var number = 2
    while access(path, F_OK) == 0 {
      path = "\(name)-\(number).\(fileExtension)"
      number += 1
    }
    return path
  }

  private static func cannotCreate(_ path: String) -> Failure {
    Failure(
      .cannotCreate, "\(path): cannot write: \(ErrorText.of(errno))",
      advice: "choose another place with -o")
  }
}
