import FleetModel
import Synchronization

/// Callers that this process has written: the hosts of a fleet send much the same ones.
final class WrittenCallers: Sendable {
  private struct Written {
    /// `DroppedEvidence.before` of the build when they were written: a later removal deleted them.
    var since: FleetDay?
    var addresses: [UInt32: UInt64] = [:]
  }

  /// About 50 MB.
  private static let limit = 1_000_000
  private let written = Mutex<(claims: [Claim: Written], count: Int)>(([:], 0))

  /// The callers with lower addresses than those that were written.
  func missing(
    _ callers: [UInt32: UInt64], of claim: Claim, since: FleetDay?
  ) -> [UInt32: UInt64] {
    let known = written.withLock { $0.claims[claim] }
    guard let known, known.since == since else { return callers }
    return callers.filter { $0.value < known.addresses[$0.key] ?? .max }
  }

  func add(_ callers: [UInt32: UInt64], of claim: Claim, since: FleetDay?) {
    written.withLock { all in
      if all.count + callers.count > Self.limit { all = ([:], 0) }
      var written = all.claims.removeValue(forKey: claim) ?? Written(since: since)
      all.count -= written.addresses.count
      if written.since != since { written = Written(since: since) }
      written.addresses.merge(callers) { min($0, $1) }
      all.count += written.addresses.count
      all.claims[claim] = written
    }
  }

  func forget(_ build: BuildKey) {
    written.withLock { all in
      all.claims = all.claims.filter { $0.key.build != build }
      all.count = all.claims.values.reduce(0) { $0 + $1.addresses.count }
    }
  }
}
