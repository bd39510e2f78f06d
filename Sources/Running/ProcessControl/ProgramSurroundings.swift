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

/// The environment that a program is started with: ours, with changes.
package struct ProgramEnvironment {
  /// `NAME=VALUE` each.
  private let variables: [String]

  /// - Parameter changes: by name; nil takes a variable away.
  package init(_ changes: [String: String?] = [:]) {
    var variables: [String] = []
    var next = environ
    while let variable = next.pointee {
      let text = String(cString: variable)
      if changes[String(text.prefix { $0 != "=" })] == nil { variables.append(text) }
      next += 1
    }
    for (name, value) in changes { if let value { variables.append("\(name)=\(value)") } }
    self.variables = variables
  }

  /// Calls `body` with the variables as exec takes them.
  package func withPointers<Result>(
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    withCArguments(variables, body)
  }
}

/// Calls `body` with words as exec takes them.
package func withCArguments<Result>(
  _ arguments: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
  pointers.append(nil)
  defer { for pointer in pointers { free(pointer) } }
  return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
}
