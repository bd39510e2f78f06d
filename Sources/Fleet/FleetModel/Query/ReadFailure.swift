/// That reading a file for a build's functions had to be stopped, and how often that was tried.
package struct ReadFailure: Hashable, Sendable {
  /// Which file, and which contents: another text as soon as either is another.
  package var file: String
  /// For people.
  package var reason: String
  package var attempts: Int
  /// Of the last attempt, seconds since 1970.
  package var at: Double

  package init(file: String, reason: String, attempts: Int, at: Double) {
    self.file = file
    self.reason = reason
    self.attempts = attempts
    self.at = at
  }

  /// As often as a file is tried that stopped its reader. What ended it may have been the machine's
  /// bad day, but hardly three times.
  package static let attemptLimit = 3

  /// Whether another attempt is due: an hour after the first, a day after the second, none after the
  /// third.
  package func isDue(at now: Double) -> Bool {
    guard attempts < Self.attemptLimit else { return false }
    return now < at || now - at >= (attempts < 2 ? 3600 : 86400)
  }
}
