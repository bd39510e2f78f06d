import FirstlightModel
import FleetModel

/// How a host takes in what its programs leave.
package struct IntakeOptions: Sendable {
  /// What all traces of this host are labelled with.
  package var labels: FleetLabels
  /// Names the host for good.
  package var host: String
  /// The most that recordings of one user may take up in the spool.
  package var userBytes: Int
  package var userFiles: Int
  /// The most that the spool may take up in all.
  package var totalBytes: Int
  package var totalFiles: Int
  /// The most that may lie in quarantine.
  package var quarantineBytes: Int
  package var quarantineFiles: Int
  /// Processes of one user that are taken in at most in a second.
  package var userRate: Int
  /// Processes that are counted in one step, in memory and in one transaction of the ledger: it reads and
  /// writes each row once for all of them.
  package var stepTraces: Int
  /// `FleetTrace.answerWeight` from which a step has no room for another process.
  package var stepWeight: Int
  /// Seconds between two looks at the processes that run.
  package var sweepInterval: Double

  package init(
    labels: FleetLabels = FleetLabels(), host: String, userBytes: Int = 4 << 30,
    userFiles: Int = 200_000, totalBytes: Int = 16 << 30, totalFiles: Int = 800_000,
    quarantineBytes: Int = 1 << 30, quarantineFiles: Int = 20_000,
    userRate: Int = 20_000, stepTraces: Int = 4096, stepWeight: Int = 1 << 21,
    sweepInterval: Double = 0.25
  ) {
    self.labels = labels
    self.host = host
    self.userBytes = userBytes
    self.userFiles = userFiles
    self.totalBytes = totalBytes
    self.totalFiles = totalFiles
    self.quarantineBytes = quarantineBytes
    self.quarantineFiles = quarantineFiles
    self.userRate = userRate
    self.stepTraces = stepTraces
    self.stepWeight = stepWeight
    self.sweepInterval = sweepInterval
  }
}

/// What had to go of one user's recordings.
package struct DroppedRecordings: Sendable, CustomStringConvertible {
  package var user: UInt32
  package var processes = 0
  /// The last of them.
  var stem = ""
  var path = ""

  package var description: String {
    let last = "\(stem): \(path) of user \(user)"
    return processes == 1 ? last : "\(last), and \(processes - 1) before it"
  }
}

/// What one pass over the spool did.
package struct IntakeReport: Sendable {
  /// Processes taken in.
  package var taken = 0
  /// Processes that still run, or wait for their turn.
  package var left = 0
  /// Processes whose files could not be read, with the reason.
  package var quarantined: [String] = []
  /// Processes whose files had to go for want of room.
  package var dropped: [DroppedRecordings] = []
  /// What the quarantine had no room for.
  package var removed = Quarantine.Removed()
  /// What was wrong with files that could be read in part.
  package var problems: [String] = []

  package init() {}
}
