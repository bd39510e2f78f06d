import FirstlightModel
import FleetModel
import Logging
import SpoolIntake
import SystemSupport

/// Sends a ledger's rows and samples to a sink, and records the outcome in the ledger.
struct LedgerSender: Sendable {
  let ledger: IntakeLedger
  let sink: any FleetSink
  let monitor: DaemonMonitor
  let logger: Logger
  /// Seconds since 1970.
  var clock: @Sendable () -> Double = Clock.realtime

  /// The size of a batch, in bytes, at which no more rows are added.
  private static let batchBytes = 8 << 20

  /// Sends all rows that are due, and then the waiting samples. A batch without an answer comes first.
  /// - Returns: whether there was anything to send.
  func send(_ pace: SendingPace) async throws(DeliveryError) -> Bool {
    var hasSent = try await sendUnanswered()
    var last: Int64 = 0
    while !Task.isCancelled {
      let (after, samples) = (last, hasSent)
      let batch = try inLedger { () throws(Failure) in
        try ledger.next(
          pace, now: clock(), after: after, samples: samples, upTo: Self.batchBytes)
      }
      guard let batch, !batch.isEmpty else { break }
      try await deliver(batch)
      hasSent = true
      last = batch.rows.last?.id ?? .max
    }
    return hasSent
  }

  private func sendUnanswered() async throws(DeliveryError) -> Bool {
    guard let batch = ledger.unanswered.withLock({ $0 }) else { return false }
    try await deliver(batch)
    return true
  }

  /// Sends several rows together. If the receiver cannot read them, sends each half separately, until the
  /// unreadable row is found.
  private func deliver(_ batch: LedgerBatch) async throws(DeliveryError) {
    if batch.isEmpty { return }
    let bytes = try inLedger { () throws(Failure) in try encoded(batch) }
    ledger.unanswered.withLock { $0 = batch }
    let receipt: StateReceipt
    do throws(DeliveryError) { receipt = try await sink.deliver(bytes) } catch {
      guard case .refused(let failure) = error else { throw error }
      ledger.unanswered.withLock { $0 = nil }
      if batch.rows.count + batch.samples.count == 1 {
        return try giveUp(batch.rows.first, batch.samples.first, failure)
      }
      for half in batch.halves { try await deliver(half) }
      return
    }
    try settle(batch, receipt)
    ledger.unanswered.withLock { $0 = nil }
  }

  private func encoded(_ batch: LedgerBatch) throws(Failure) -> [UInt8] {
    var follows: [Int: RowVersion] = [:]
    for (place, row) in batch.rows.enumerated() where row.follows != .none {
      follows[place] = row.follows
    }
    return StateBatch.encode(
      batch.secret, rows: try batch.rows.map(travelling), follows: follows,
      samples: try batch.samples.map(travelling))
  }

  private func settle(_ batch: LedgerBatch, _ receipt: StateReceipt) throws(DeliveryError) {
    var outcome = SendingOutcome()
    for (place, row) in batch.rows.enumerated() {
      let refusal = receipt.refusals[place]
      switch refusal?.kind {
      case nil: outcome.taken.append(row)
      case .late: outcome.late.append(row)
      case .refused: outcome.refused.append((row, refusal?.reason ?? ""))
      case .early: outcome.early.append(row)
      case .crowded: outcome.crowded.append(row)
      case .removed: outcome.removed.append(row)
      case .foreign: break
      }
    }
    outcome.samples = batch.samples
    outcome.firstOpenDay = receipt.firstOpenDay
    outcome.sampleLimits = receipt.sampleLimits
    let lost = try inLedger { () throws(Failure) in
      try ledger.settle(outcome, on: FleetDay(of: clock()))
    }
    monitor.count(.delivered, outcome.taken.count)
    report(lost)
    report(early: outcome.early)
    if !receipt.places(.foreign).isEmpty { try beginNewLife() }
  }

  private func report(early rows: [WaitingRow]) {
    guard let last = rows.map(\.key.day).max() else { return }
    logger.error(
      "this host's clock is ahead of the receiver's: its sums count without a date, on 1970-01-01",
      metadata: [
        "to": "\(sink.name)", "rows": "\(rows.count)", "day": "\(last)",
      ])
  }

  /// Sets a single row or sample aside that the receiver cannot read.
  private func giveUp(
    _ row: WaitingRow?, _ sample: WaitingSample?, _ failure: Failure
  ) throws(DeliveryError) {
    try inLedger { () throws(Failure) in
      if let row { try ledger.park(row, on: FleetDay(of: clock())) }
      if let sample { try ledger.park(sample) }
    }
    monitor.count(.refused)
    let what =
      row.map { "sums of build \($0.key.build.buildID.short) on \($0.key.day)" }
      ?? sample.map { "a sampled trace of build \($0.program.buildID.short)" } ?? ""
    logger.error(
      "refused by the receiver",
      metadata: [
        "to": "\(sink.name)", "what": "\(what)", "reason": "\(failure)",
        "retry": "within an hour, and after a restart",
      ])
  }

  private func report(_ lost: [LostSums]) {
    monitor.count(.refused, lost.count)
    monitor.count(.lost, lost.reduce(0) { $0 + $1.runs })
    // A receiver refuses all rows of a closed day, which can be hundreds.
    let byReason = Dictionary(grouping: lost, by: \.reason).sorted { $0.key < $1.key }
    for (reason, sums) in byReason.prefix(20) {
      let runs = sums.reduce(0) { $0 + $1.runs }
      logger.log(
        // If the receiver had all runs of the removed build, nothing is lost.
        level: runs > 0 ? .error : .notice, "sums refused by the receiver",
        metadata: [
          "to": "\(sink.name)", "rows": "\(sums.count)", "lost runs": "\(runs)",
          "build": "\(sums[0].build.buildID.short)", "reason": "\(reason)",
        ])
    }
  }

  private func travelling(_ row: WaitingRow) throws(Failure) -> [UInt8] {
    let state = try row.state()
    return (sink.isOfThisHost ? state : state.withoutPath()).encoded()
  }

  private func travelling(_ sample: WaitingSample) throws(Failure) -> [UInt8] {
    if sink.isOfThisHost { return sample.bytes }
    let trace = sample.bytes.withUnsafeBytes { bytes in
      Result { () throws(Failure) in try StateBatch.sample(bytes) }
    }
    return StateBatch.encode(sample: try trace.get().withoutPaths())
  }

  func inLedger<Value>(_ body: () throws(Failure) -> Value) throws(DeliveryError) -> Value {
    do throws(Failure) { return try body() } catch { throw .failed(error) }
  }
}

extension LedgerBatch {
  /// Rows and samples, or two parts of them.
  fileprivate var halves: [LedgerBatch] {
    var (first, second) = (self, self)
    if rows.isEmpty || samples.isEmpty {
      let (row, sample) = ((rows.count + 1) / 2, (samples.count + 1) / 2)
      (first.rows, second.rows) = (Array(rows[..<row]), Array(rows[row...]))
      (first.samples, second.samples) = (Array(samples[..<sample]), Array(samples[sample...]))
    } else {
      (first.samples, second.rows) = ([], [])
    }
    return [first, second]
  }
}

extension LedgerSender {
  /// Compares the versions of all rows with those of the receiver.
  ///
  /// Rows that the receiver lacks are sent again, because a store may have lost its disk.
  func compare() async throws(DeliveryError) {
    _ = try await sendUnanswered()
    var last: Int64 = 0
    var all = Comparison()
    while true {
      let after = last
      let page = try inLedger { () throws(Failure) in try ledger.rowsToCompare(after: after) }
      guard let page, let end = page.rows.last?.id else { break }
      last = end
      let versions: [RowVersion?]
      do throws(DeliveryError) {
        versions = try await self.versions(page.rows, page.secret)
      } catch {
        guard case .refused(let failure) = error else { throw error }
        // Sending continues: rows without a comparison are better than no rows.
        logger.error(
          "cannot compare sums with the receiver",
          metadata: ["to": "\(sink.name)", "reason": "\(failure)"])
        break
      }
      let found = try inLedger { () throws(Failure) in
        try ledger.compared(zip(page.rows, versions).map { ($0, $1) })
      }
      all.again += found.again
      all.isForeign = all.isForeign || found.isForeign
    }
    if all.isForeign { try beginNewLife() }
    try inLedger { () throws(Failure) in try ledger.retryParked() }
    if all.again > 0 {
      logger.notice(
        "the receiver lacks sums that it had: sending them again",
        metadata: ["to": "\(sink.name)", "rows": "\(all.again)"])
    }
  }

  private func versions(
    _ rows: [ComparedRow], _ secret: LedgerSecret
  ) async throws(DeliveryError) -> [RowVersion?] {
    let asked = StateVersions(secret: secret, rows: rows.map { ($0.key, $0.acknowledged) })
    let versions = try await sink.versions(asked)
    guard versions.count == rows.count else {
      throw .failed(
        Failure(
          .unavailable, "\(sink.name): \(versions.count) versions of \(rows.count) rows"))
    }
    return versions
  }

  private func beginNewLife() throws(DeliveryError) {
    let moved = try inLedger { () throws(Failure) in try ledger.beginNewLife() }
    logger.error(
      "another copy of this ledger is in use: this one counts under a new name from now on",
      metadata: [
        "to": "\(sink.name)", "ledger": "\(ledger.path)",
        "runs since the last delivery": "\(moved), which count here too",
      ])
  }
}
