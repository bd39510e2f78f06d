import FirstlightModel
import Glibc

/// What a measured program is started with beside its arguments.
package struct ProgramSurroundings: Sendable {
  /// Variables set in its environment, by name.
  package var environment: [String: String]
  /// The file that is its standard input; nil: it has none.
  package var input: String?
  /// A shell command that is run before each start, and not measured; nil: none.
  package var preparation: String?

  package init(
    environment: [String: String] = [:], input: String? = nil, preparation: String? = nil
  ) {
    self.environment = environment
    self.input = input
    self.preparation = preparation
  }

  /// Our environment with these variables, and others on top.
  package func environment(with changes: [String: String?]) -> ProgramEnvironment {
    ProgramEnvironment(
      environment.mapValues { Optional($0) }.merging(changes) { set, change in change ?? set })
  }

  /// The input, from its beginning. Close it after the start.
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
  /// - Throws: `Failure` of kind `data` with its last line if it does not succeed.
  package func prepare() throws(Failure) {
    guard let preparation else { return }
    let log = try ProgramLog()
    let status = try ShellCommand(preparation, log: log).run("preparing")
    guard status.exitStatus == 0 else {
      let words = log.lastLine
      throw Failure(
        .data,
        "the preparation \(status.text)\(words.isEmpty ? "" : "; last output: \(words)")",
        advice: "run it by hand: \(preparation)")
    }
  }
}
