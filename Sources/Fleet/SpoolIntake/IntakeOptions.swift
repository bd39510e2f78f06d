import FirstlightModel
import FleetModel
import SystemSupport

/// Settings for the intake of recordings on a host.
package struct IntakeOptions: Sendable {
  /// Labels of all traces of this host.
  package var labels = FleetLabels()
  /// Permanent identity of the host.
  package var host: String
  /// Maximum space of one user's recordings in the spool.
  package var userBytes = 4 << 30
  package var userFiles = 200_000
  /// Maximum space of the whole spool.
  package var totalBytes = 16 << 30
  package var totalFiles = 800_000
  /// Maximum space of the quarantine.
  package var quarantineBytes = 1 << 30
  package var quarantineFiles = 20_000
  /// Maximum number of processes of one user that are counted in a second.
  package var userRate = 20_000
  /// Number of processes counted in one step, in memory and in one transaction of the ledger: the
  /// step reads and writes each row once for all of them.
  var stepTraces = 4096
  /// Total `ObservedProcess.weight` at which a step accepts no further process.
  var stepWeight = 1 << 21
  /// Seconds between two checks of the running processes.
  var sweepInterval = 0.25

  package init(host: String = HostID.ofThisMachine()) { self.host = host }
}

/// The result of one pass over the spool.
package struct IntakeReport: Sendable {
  /// Number of counted processes.
  package var taken = 0
  /// Number of running processes with new calls.
  package var updated = 0
  /// Number of processes that still run or wait for their turn.
  package var left = 0
  /// Processes whose files could not be read, with the reason.
  package var quarantined: [String] = []
  /// Processes whose files were removed because of the quotas, and other files.
  package var dropped: [DroppedRecordings] = []
  /// Recordings that did not fit the quarantine, with their user.
  package var removed: [String] = []
  /// Problems of files that could be read only in part.
  package var problems: [String] = []

  package init() {}
}

/// Limits how many processes of each user are counted in a second.
struct IntakeRate {
  private let limit: Int
  /// For each user, the remaining number of processes and the time of its last update.
  private var left: [UInt32: (count: Double, at: Double)] = [:]

  init(limit: Int) { self.limit = limit }

  /// The processes that may be counted now, in order: the first ones of each user, as many as the
  /// rate allows. A user above the rate does not delay others.
  mutating func admit(_ processes: [KnownProcess], now: Double) -> [KnownProcess] {
    processes.filter { process in
      let (count, at) = left[process.user] ?? (Double(limit), now)
      let refilled = min(Double(limit), count + max(0, now - at) * Double(limit))
      left[process.user] = (refilled >= 1 ? refilled - 1 : refilled, now)
      return refilled >= 1
    }
  }
}

/// A permanent identity for this machine that reveals nothing else about it.
package enum HostID {
  /// A hash of /etc/machine-id (machine-id(5)), which itself must stay confidential; without such a
  /// file, of the host's name.
  static func ofThisMachine() -> String {
    let id = ProcFile.line(of: "/etc/machine-id", beginning: "") ?? ""
    return TraceID(run: "firstlight host", process: id.isEmpty ? HostInfo.name : id).description
  }
}
