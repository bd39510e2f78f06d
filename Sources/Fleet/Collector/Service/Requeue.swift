import FirstlightModel
import FleetModel
import Foundation
import IntakeLedger
import SpoolIntake
import TraceReader

/// Puts back what a daemon has put aside, for another try: batches into the outbox, recordings into the
/// spool.
public struct Requeue: Sendable {
  public private(set) var batches = 0
  public private(set) var traces = 0
  public private(set) var recordings = 0
  /// What stays aside, and why.
  public private(set) var problems: [String] = []

  /// - Throws: `.unavailable` if a daemon has the spool, or as `Spool` and `IntakeLedger`.
  public init(spool path: String) throws(Failure) {
    let spool = try Spool(path: path)
    let ledger = try IntakeLedger(path: spool.ledgerPath)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: spool.quarantinePath)) ?? []
    for name in names.sorted() where name.hasSuffix(".flb") {
      try putBack(batch: name, in: spool, ledger)
    }
    // As everywhere, a process's own file comes last.
    for (process, files) in Dictionary(grouping: names, by: TraceEntry.process(ofFile:)) {
      guard let process else { continue }
      let stem = process.description
      let last = TraceEntry(process: process, segments: []).processFile
      let ordered = files.filter { $0 != last } + files.filter { $0 == last }
      let isBack = ordered.allSatisfy {
        rename("\(spool.quarantinePath)/\($0)", "\(spool.path)/\($0)") == 0
      }
      if isBack {
        recordings += 1
        unlink("\(spool.quarantinePath)/\(stem).reason")
      } else {
        problems.append("\(stem): cannot be moved: \(String(cString: strerror(errno)))")
      }
    }
  }

  private mutating func putBack(
    batch name: String, in spool: Spool, _ ledger: IntakeLedger
  ) throws(Failure) {
    let path = "\(spool.quarantinePath)/\(name)"
    guard let bytes = FileManager.default.contents(atPath: path) else {
      return problems.append("\(path): cannot be read")
    }
    do throws(Failure) {
      let count = try CheckedBatch(OutboxBytes.plain([UInt8](bytes))).traceCount
      try ledger.enqueue([UInt8](bytes), traces: count, madeAt: WallClock.now())
      traces += count
      batches += 1
      // Twice would do no harm: whoever receives it knows its traces.
      unlink(path)
      unlink("\(path.dropLast(4)).reason")
    } catch {
      guard error.kind == .data else { throw error }
      problems.append("\(path): \(error)")
    }
  }
}
