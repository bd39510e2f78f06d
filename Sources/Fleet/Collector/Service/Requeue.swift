import FirstlightModel
import FleetModel
import Foundation
import IntakeLedger
import SpoolIntake
import SystemSupport
import TraceReader

/// Puts back what a daemon has put aside, for another try: batches into the outbox, recordings into the
/// spool. The ledger's table `audit` has a row for each.
package struct Requeue: Sendable {
  package private(set) var batches = 0
  package private(set) var traces = 0
  package private(set) var recordings = 0
  /// What stays aside, and why.
  package private(set) var problems: [String] = []

  /// - Throws: `.unavailable` if a daemon has the spool, or as `Spool` and `IntakeLedger`.
  package init(spool path: String) throws(Failure) {
    let spool = try Spool(path: path)
    let ledger = try IntakeLedger(path: spool.ledgerPath)
    for item in SetAside.list(of: path) {
      switch item.kind {
      case .batch: try putBack(batch: item, in: spool, ledger)
      case .recording: try putBack(recording: item, in: spool, ledger)
      }
    }
  }

  private mutating func putBack(
    batch item: SetAside, in spool: Spool, _ ledger: IntakeLedger
  ) throws(Failure) {
    let path = "\(spool.quarantinePath)/\(item.stem)\(Quarantine.batchSuffix)"
    do throws(Failure) {
      let (bytes, count) = try item.batch()
      try ledger.enqueue(bytes, traces: count, madeAt: Clock.realtime(), note: item.note(count))
      traces += count
      batches += 1
      // Twice would do no harm: whoever receives it knows its traces.
      unlink(path)
      unlink("\(spool.quarantinePath)/\(item.stem)\(Quarantine.reasonSuffix)")
    } catch {
      guard error.kind == .data || error.kind == .noInput else { throw error }
      problems.append("\(path): \(error)")
    }
  }

  private mutating func putBack(
    recording item: SetAside, in spool: Spool, _ ledger: IntakeLedger
  ) throws(Failure) {
    // As everywhere, a process's own file comes last.
    let files = item.files.sorted { a, b in
      (a.hasSuffix(".process") ? 1 : 0, a) < (b.hasSuffix(".process") ? 1 : 0, b)
    }
    let isBack = files.allSatisfy {
      rename("\(spool.quarantinePath)/\($0)", "\(spool.path)/\($0)") == 0
    }
    guard isBack else {
      return problems.append("\(item.stem): cannot be moved: \(ErrorText.of(errno))")
    }
    try ledger.note(item.note(nil))
    recordings += 1
    unlink("\(spool.quarantinePath)/\(item.stem)\(Quarantine.reasonSuffix)")
  }
}
