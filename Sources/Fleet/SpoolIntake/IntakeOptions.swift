import FirstlightModel
import FleetModel
import SystemSupport

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

/// Decides which traces keep the order of their calls: those that the receiver's sample may want.
///
/// The receiver reports up to which family it wants them, but only once it has some. Until then the host's
/// own sample decides: no sample wants what these hundred leave no room for, since it gets them too.
struct SampleLimits {
  private var limits: [BuildKey: UInt64] = [:]
  /// The host's sample, for each program how many traces of each family, sorted by family.
  private var sampled: [BuildKey: [(family: UInt64, traces: Int)]]

  init(sampled: [BuildKey: [(family: UInt64, traces: Int)]] = [:]) {
    self.sampled = sampled
    for (program, families) in sampled {
      limits[program] = TraceSampleRule.last(of: families)
    }
  }

  /// The largest family of a program that is wanted.
  subscript(program: BuildKey) -> UInt64 { limits[program] ?? .max }

  /// - Parameter wanted: what the receiver says.
  mutating func lower(to wanted: [BuildKey: UInt64]) {
    limits.merge(wanted) { min($0, $1) }
  }

  /// Notes a trace that is kept with its calls.
  /// - Complexity: O(size of the sample).
  mutating func sampled(_ family: UInt64, of program: BuildKey) {
    var families = sampled[program] ?? []
    let place = families.firstIndex { $0.family >= family } ?? families.count
    if place < families.count, families[place].family == family {
      families[place].traces += 1
    } else {
      families.insert((family, 1), at: place)
    }
    if let last = TraceSampleRule.last(of: families) {
      limits[program] = min(self[program], last)
      families.removeAll { $0.family > last }
    }
    sampled[program] = families
  }
}

/// How many processes of each user are taken in at once.
struct IntakeRate {
  private let limit: Int
  /// By user: how many may still be taken in, and when that was.
  private var left: [UInt32: (count: Double, at: Double)] = [:]

  init(limit: Int) { self.limit = limit }

  /// Those of these that may be taken in now, in their order: of each user the first ones, as many as the
  /// rate allows. A user who is over the rate does not delay others.
  mutating func admit(_ processes: [KnownProcess], now: Double) -> [KnownProcess] {
    processes.filter { process in
      let (count, at) = left[process.user] ?? (Double(limit), now)
      let refilled = min(Double(limit), count + max(0, now - at) * Double(limit))
      left[process.user] = (refilled >= 1 ? refilled - 1 : refilled, now)
      return refilled >= 1
    }
  }
}

/// A lasting name for this machine that reveals nothing else about it.
package enum HostID {
  /// Made from /etc/machine-id (machine-id(5)), which itself must not be given away; without one, from
  /// the host's name.
  package static func ofThisMachine() -> String {
    let id = ProcFile.line(of: "/etc/machine-id", beginning: "") ?? ""
    return TraceID(run: "firstlight host", process: id.isEmpty ? HostInfo.name : id).description
  }
}
