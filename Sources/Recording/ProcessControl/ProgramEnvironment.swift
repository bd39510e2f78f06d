import FirstlightModel
import Glibc

/// A program's environment: ours with changes.
package struct ProgramEnvironment {
  /// `NAME=VALUE` each.
  private var variables: [String]

  /// - Parameter changes: by name; nil removes a variable.
  package init(_ changes: [TextBytes: String?] = [:]) {
    var variables: [String] = []
    var next = environ
    while let variable = next.pointee {
      let text = String(systemText: variable)
      if !changes.keys.contains(TextBytes(text.prefix(upToAny: "="))) { variables.append(text) }
      next += 1
    }
    for (name, value) in changes { if let value { variables.append("\(name)=\(value)") } }
    self.variables = variables
  }

  /// The environment with one more option in a variable that lists options, separated by colons.
  package func adding(option: String, to name: String) -> ProgramEnvironment {
    var changed = self
    let place = variables.firstIndex { $0.begins(with: "\(name)=") }
    if let place {
      changed.variables[place] += ":\(option)"
    } else {
      changed.variables.append("\(name)=\(option)")
    }
    return changed
  }

  /// Calls `body` with the variables in exec's form.
  package func withPointers<Result>(
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    withCArguments(variables, body)
  }
}
