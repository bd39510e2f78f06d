/// How soon a row that has changed is sent again.
///
/// The older a row is, the less another run changes it, so it waits for a quarter of its age. A row is sent
/// some fifty times a day (33 times in its first four hours, then every hour), whatever number of runs it
/// counts. A row with a function that is new on the host does not wait.
package struct SendingPace: Sendable {
  /// Seconds between two versions of a row, at least.
  package var least = 1.0
  /// At most.
  package var most: Double

  /// To a store of this host, whose answers are expected to be of now.
  package static let store = SendingPace(most: 60)
  /// To another daemon, which has many hosts.
  package static let upstream = SendingPace(most: 3600)
  /// For a daemon that is about to end.
  package static let atOnce = SendingPace(least: 0, most: 0)
}
