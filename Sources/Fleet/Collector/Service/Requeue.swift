import FirstlightModel
import FleetModel
import Foundation
import SpoolIntake
import SystemSupport
import TraceReader

/// Returns items from the quarantine for another try. Recordings go to the spool, and batches that an earlier
/// version set aside go to the ledger's sums. The ledger's table `audit` gets a row for each.
package struct Requeue: Sendable {
  package private(set) var batches = 0
  package private(set) var traces = 0
  package private(set) var recordings = 0
  /// Why items stay in the quarantine.
  package private(set) var problems: [String] = []

  /// - Throws: `.unavailable` if a daemon uses the spool, or as `Spool` and `IntakeLedger`.
  package init(spool path: String) throws(Failure) {
    let spool = try Spool(path: path)
    let ledger = try IntakeLedger(
      path: spool.ledgerPath,
      inflate: { batch throws(Failure) in try EarlierBatch.plain(batch) })
    if let earlier = ledger.earlierOutbox, earlier.lostTraces > 0 {
      problems.append(
        "\(ledger.path): \(earlier.lostTraces) traces of an earlier version are damaged")
    }
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
      let found = try item.traces()
      // A batch with a note was added, though its file is still here. Adding it again would count it twice.
      if let lost = try ledger.add(
        found, named: "requeued \(item.stem) ", note: item.note(found.count))
      {
        problems += lost.map { "\(path): \($0)" }
        traces += found.count
        batches += 1
      }
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
    // A process's own file comes last, as everywhere.
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
