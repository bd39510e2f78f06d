/// Command lines as a shell reads them.
package enum ShellText {
  /// A word of a command line, in quotes where a shell would need them.
  package static func quoted(_ word: String) -> String {
    let plain =
      !word.isEmpty && word.allSatisfy { $0.isLetter || $0.isNumber || "-_./=:,+@%".contains($0) }
    return plain
      ? word
      : "'"
        + word.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "'\\''") + "'"
  }
}
