import FirstlightModel

/// Shows command lines.
package enum ShellText {
  /// A command for display: the lines of a script follow one another on one line.
  package static func line(_ command: [String]) -> String {
    command.map(Escaping.shellWord).joined(separator: " ")
      .lines.filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// The beginning of a command, for a headline; a program path that is too long loses its folders.
  package static func headline(_ command: [String], most: Int = 70) -> String {
    let whole = line(command)
    guard whole.count > most, let program = command.first else { return whole }
    let name = program.split(at: "/").last.map(String.init) ?? program
    let short = line([name] + command.dropFirst())
    return short.count > most ? short.prefix(most - 3) + "..." : short
  }
}
