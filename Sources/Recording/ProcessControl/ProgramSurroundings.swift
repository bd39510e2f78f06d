import FirstlightModel
import Glibc

/// The environment, input and preparation of a measured program.
package struct ProgramSurroundings: Sendable {
  /// Variables set in its environment, by name.
  package var environment: [TextBytes: String]
  /// The file for its standard input; nil for none.
  package var input: String?
  /// A shell command to run before each start, not measured; nil for none.
  package var preparation: String?

  package init(
    environment: [TextBytes: String] = [:], input: String? = nil, preparation: String? = nil
  ) {
    self.environment = environment
    self.input = input
    self.preparation = preparation
  }

  /// Our environment with these variables, and further changes.
  package func environment(with changes: [TextBytes: String?]) -> ProgramEnvironment {
    ProgramEnvironment(
      environment.mapValues { Optional($0) }.merging(changes) { set, change in change ?? set })
  }

  /// Opens the input at its beginning. The caller closes it after the start.
  ///
  /// - Throws: `Failure` of kind `noInput` naming the file.
  package func openInput() throws(Failure) -> Int32 {
    let path = input ?? "/dev/null"
    let file = open(path, (input == nil ? O_RDWR : O_RDONLY) | O_CLOEXEC)
    guard file >= 0 else {
      throw Failure(.noInput, "\(path): cannot read: \(ErrorText.of(errno))")
    }
    return file
  }

  /// Runs the preparation to its end.
  ///
  /// - Throws: `Failure` of kind `data` with its last line if it fails.
  package func prepare() throws(Failure) {
    guard let preparation else { return }
    let log = try ProgramLog()
    let status = try ProgramCommand(shell: preparation, log: log).run("preparing")
    guard status.exitStatus == 0 else {
      let words = log.lastLine
      throw Failure(
        .data,
        "the preparation \(status.text)\(words.isEmpty ? "" : "; last output: \(words)")",
        advice: "run it by hand: \(preparation)")
    }
  }
}

/// Calls `body` with arguments in exec's form, as the system's bytes.
package func withCArguments<Result>(
  _ arguments: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { $0.withSystemText { strdup($0) } }
  pointers.append(nil)
  defer { for pointer in pointers { free(pointer) } }
  return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
}
