import Glibc

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
