import FirstlightModel
import SystemSupport

/// A reader of a build's file that had to be stopped, with the number of attempts.
package struct ReadFailure: Hashable, Sendable {
  /// Identifies the file and its contents: changes if either changes.
  package var file: String
  /// The reason, for the user.
  package var reason: String
  package var attempts: Int
  /// Time of the last attempt, seconds since 1970.
  package var at: Double

  package init(file: String, reason: String, attempts: Int, at: Double) {
    self.file = file
    self.reason = reason
    self.attempts = attempts
    self.at = at
  }

  /// Maximum attempts at a file whose reader was stopped. The machine may have caused one failure,
  /// but hardly three.
  package static let attemptLimit = 3

  /// Whether another attempt is due: an hour after the first, a day after the second, none after the
  /// third.
  package func isDue(at now: Double) -> Bool {
    guard attempts < Self.attemptLimit else { return false }
    return now < at || now - at >= (attempts < 2 ? 3600 : 86400)
  }
}
