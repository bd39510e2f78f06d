import FirstlightModel
import Glibc
import SystemSupport

/// Leaves the windows of running watches in a spool, from which its firstlightd sends them.
///
/// Each watch is a publisher: each of its windows has all calls so far, and a higher version than the one before,
/// whose file it replaces. So nothing counts twice, and of each watch only the last window waits.
package struct WindowSpool {
  /// Ends the names of such files, which are encoded as `StateBatch`.
  package static let suffix = ".window"

  private let spool: String
  private var watch: Int?
  private var secret = LedgerSecret()
  private var version: UInt64 = 0

  /// - Throws: `.noInput` if there is no such directory, `.cannotCreate` if it is not writable.
  package init(_ spool: String) throws(Failure) {
    self.spool = spool
    guard access(spool, F_OK) == 0 else {
      throw Failure(
        .noInput, "\(spool): \(ErrorText.of(errno))", advice: "start firstlightd --spool")
    }
    guard access(spool, W_OK | X_OK) == 0 else {
      throw Failure(.cannotCreate, "\(spool): \(ErrorText.of(errno))")
    }
  }

  /// - Parameters:
  ///   - profile: all calls of this watch so far, without those of other watches.
  ///   - watch: the number of the watch. A new number begins a new publisher.
  package mutating func add(_ profile: Profile, of watch: Int) throws(Failure) {
    if self.watch != watch {
      (self.watch, secret, version) = (watch, LedgerSecret(), 0)
    }
    version += 1
    let states = try profile.watchStates(secret, version: version, labels: FleetLabels())
    // The name reveals nothing of the secret, and no other watch has it.
    let name = TraceID(run: "window", process: secret.bytes.description)
    for (part, batch) in states.batches.enumerated() {
      try ResultFile.write(batch, to: "\(spool)/\(name)-\(part)\(Self.suffix)")
    }
    Terminal.report("left the window in \(spool): \(Self.text(profile))")
  }

  /// `2026-11-26 14:00:00 UTC to 2026-11-26 15:00:00 UTC, 312 functions called`
  private static func text(_ profile: Profile) -> String {
    let called = profile.builds.reduce(0) { $0 + $1.coverage.count(where: \.isCalled) }
    let (start, end) = (profile.runs.first?.startedAt ?? 0, profile.runs.first?.endedAt ?? 0)
    return "\(TimeText.moment(start)) to \(TimeText.moment(end)), "
      + "\(CountText.text(called, "function")) called"
  }
}
