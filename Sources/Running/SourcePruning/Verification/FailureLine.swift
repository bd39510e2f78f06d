/// The line that says why a build or its tests failed.
enum FailureLine {
  private static let marks = [
    "error: ", "undefined reference to ", "*** ", "✘ ", "FAILED", "Fatal error",
  ]

  /// Nil: none does.
  static func first(of lines: [String]) -> String? {
    for mark in marks {
      if let line = lines.first(where: { $0.contains(mark) }) {
        return String(line.drop { $0 == " " }.prefix(300))
      }
    }
    return nil
  }
}
