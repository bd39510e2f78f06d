import FirstlightModel
import Glibc

/// Where results go: a file that is replaced in one step, or standard output.
enum Output {
  /// Writes the whole text.
  ///
  /// - Parameter path: nil or `-` is standard output.
  /// - Throws: `Failure` of kind `cannotCreate` or `inputOutput` naming the file.
  static func write(_ text: String, to path: String?) throws(Failure) {
    guard let path, path != "-" else { return try writeToStandardOutput(text) }
    // A device or a pipe is written to, not replaced.
    var status = stat()
    let isSpecial = stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    let temporary = isSpecial ? path : "\(path).\(getpid()).partial"
    guard let file = fopen(temporary, "w") else { throw cannotCreate(path) }
    var text = text
    let written = text.withUTF8 { fwrite($0.baseAddress, 1, $0.count, file) == $0.count }
    guard fclose(file) == 0, written, isSpecial || rename(temporary, path) == 0 else {
      let failure = cannotCreate(path)
      if !isSpecial { unlink(temporary) }
      throw failure
    }
  }

  private static func cannotCreate(_ path: String) -> Failure {
    Failure(
      .cannotCreate, "\(path): cannot write: \(String(cString: strerror(errno)))",
      advice: "choose another place with -o")
  }

  private static func writeToStandardOutput(_ text: String) throws(Failure) {
    var text = text
    let error = text.withUTF8 { bytes -> Int32 in
      var rest = UnsafeRawBufferPointer(bytes)
      while !rest.isEmpty {
        let count = Glibc.write(STDOUT_FILENO, rest.baseAddress, rest.count)
        if count < 0 && errno == EINTR { continue }
        if count < 0 { return errno }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      }
      return 0
    }
    // Whoever reads has seen enough.
    if error == EPIPE { exit(0) }
    guard error == 0 else {
      throw Failure(
        .inputOutput, "standard output: cannot write: \(String(cString: strerror(error)))")
    }
  }
}
