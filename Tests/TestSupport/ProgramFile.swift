import Testing

/// Files that tests start as programs.
///
/// Other programs write them. While this process has a file open for writing, a child that another test forks may hold
/// the descriptor until its exec, and starting the file fails meanwhile (ETXTBSY).
package enum ProgramFile {
  /// Copies a program.
  package static func copy(_ path: String, to new: String) throws {
    try Command.check(["cp", "--", path, new])
  }

  /// Makes a script that can be started.
  /// - Returns: its path.
  @discardableResult
  package static func script(_ text: String, at path: String) throws -> String {
    try Command.check(
      ["sh", "-c", #"mkdir -p "${0%/*}" && cat > "$0" && chmod 755 "$0""#, path], input: text)
    return path
  }
}
