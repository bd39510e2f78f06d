import FirstlightModel
import Foundation
import SpoolIntake
import SystemSupport

/// Returns recordings from the quarantine to the spool for another try. The ledger's table `audit` gets a row for
/// each.
package struct Requeue: Sendable {
  package private(set) var recordings = 0
  /// Why recordings stay in the quarantine.
  package private(set) var problems: [String] = []

  /// - Throws: `.unavailable` if a daemon uses the spool, or as `Spool` and `IntakeLedger`.
  package init(spool path: String) throws(Failure) {
    let spool = try Spool(path: path)
    let ledger = try IntakeLedger(path: spool.ledgerPath)
    for item in SetAside.list(of: path) { try putBack(item, in: spool, ledger) }
  }

  private mutating func putBack(
    _ item: SetAside, in spool: Spool, _ ledger: IntakeLedger
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
    try ledger.note(item.note)
    recordings += 1
    unlink("\(spool.quarantinePath)/\(item.stem)\(Quarantine.reasonSuffix)")
  }
}
