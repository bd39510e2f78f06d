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

  /// Sends all rows that are due, and then the waiting samples.
  /// - Returns: whether there was anything to send.
  func send(_ pace: SendingPace) async throws(DeliveryError) -> Bool {
    var last: Int64 = 0
    var hasSent = false
    while !Task.isCancelled {
      let (rows, samples) = try inLedger { () throws(Failure) in
        let rows = try ledger.due(pace, now: clock(), after: last, upTo: Self.batchBytes)
        // Samples are only sent together with rows: while a row waits, its traces may leave the sample.
        guard hasSent || !rows.isEmpty else { return (rows, [WaitingSample]()) }
        let size = rows.reduce(0) { $0 + $1.bytes.count }
        return (rows, try ledger.waitingSamples(upTo: max(0, Self.batchBytes - size)))
      }
      if rows.isEmpty && samples.isEmpty { break }
      try await deliver(rows[...], samples[...])
      hasSent = true
      last = rows.last?.id ?? last
      if rows.isEmpty { last = .max }
    }
    return hasSent
  }

  /// Sends several rows together. If the receiver cannot read them, sends each half separately, until the
  /// unreadable row is found.
  private func deliver(
    _ rows: ArraySlice<WaitingRow>, _ samples: ArraySlice<WaitingSample>
  ) async throws(DeliveryError) {
    if rows.isEmpty && samples.isEmpty { return }
    let batch = try inLedger { () throws(Failure) in
      StateBatch.encode(
        try ledger.secret(), rows: try rows.map(travelling), samples: try samples.map(travelling))
    }
    let receipt: StateReceipt
    do throws(DeliveryError) { receipt = try await sink.deliver(batch) } catch {
      guard case .refused(let failure) = error else { throw error }
      if rows.count + samples.count == 1 { return try giveUp(rows.first, samples.first, failure) }
      if !samples.isEmpty, !rows.isEmpty {
        try await deliver(rows, [])
        return try await deliver([], samples)
      }
      try await deliver(rows.firstHalf, samples.firstHalf)
      return try await deliver(rows.secondHalf, samples.secondHalf)
    }
    try await settle(Array(rows), Array(samples), receipt)
  }

  private func settle(
    _ rows: [WaitingRow], _ samples: [WaitingSample], _ receipt: StateReceipt
  ) async throws(DeliveryError) {
    // If the receiver already has a row, an answer was lost, or a copy of this ledger sent the row.
    if receipt.known > 0, try await isOvertaken(rows) { return try startAnew() }
    var outcome = SendingOutcome()
    let reasons = Dictionary(
      receipt.refused.map { ($0.place, $0.reason) }, uniquingKeysWith: { first, _ in first })
    let early = Set(receipt.early)
    for (place, row) in rows.enumerated() {
      if let reason = reasons[place] {
        outcome.refused.append((row, reason))
      } else if early.contains(place) {
        outcome.early.append(row)
      } else {
        outcome.taken.append(row)
      }
    }
    outcome.samples = samples
    outcome.firstOpenDay = receipt.firstOpenDay
    outcome.sampleLimits = receipt.sampleLimits
    let lost = try inLedger { () throws(Failure) in
      try ledger.settle(outcome, on: FleetDay(of: clock()))
    }
    monitor.count(.delivered, outcome.taken.count)
    report(lost)
  }

  private func isOvertaken(_ rows: [WaitingRow]) async throws(DeliveryError) -> Bool {
    let versions = try await versions(rows.map { ($0.key, $0.version) })
    return zip(rows, versions).contains { $0.version < $1 ?? 0 }
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
    if sink.isOfThisHost { return row.bytes }
    let state = row.bytes.withUnsafeBytes { bytes in
      Result { () throws(Failure) in try SeriesState(decoding: bytes) }
    }
    return try state.get().withoutPath().encoded()
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

extension ArraySlice {
  fileprivate var firstHalf: ArraySlice { prefix((count + 1) / 2) }
  fileprivate var secondHalf: ArraySlice { dropFirst((count + 1) / 2) }
}

extension LedgerSender {
  /// Compares the versions of all rows with those of the receiver.
  ///
  /// Rows that the receiver lacks are sent again, because a store may have lost its disk. If the receiver has a
  /// later version than this ledger ever sent, another ledger with the same secret sent that version. This file
  /// is then an older copy, and starts over.
  func compare() async throws(DeliveryError) {
    var last: Int64 = 0
    var again = 0
    while true {
      let rows = try inLedger { () throws(Failure) in try ledger.rowsToCompare(after: last) }
      guard let end = rows.last?.id else { break }
      last = end
      let versions: [UInt64?]
      do throws(DeliveryError) {
        versions = try await self.versions(rows.map { ($0.key, $0.acknowledged) })
      } catch {
        guard case .refused(let failure) = error else { throw error }
        // Sending continues: rows without a comparison are better than no rows.
        logger.error(
          "cannot compare sums with the receiver",
          metadata: ["to": "\(sink.name)", "reason": "\(failure)"])
        break
      }
      if zip(rows, versions).contains(where: { $0.latest < $1 ?? 0 }) {
        try startAnew()
        break
      }
      again += try inLedger { () throws(Failure) in
        try ledger.sendAgain(zip(rows, versions).map { ($0, $1 ?? 0) })
      }
    }
    try inLedger { () throws(Failure) in try ledger.wasCompared() }
    if again > 0 {
      logger.notice(
        "the receiver lacks sums that it had: sending them again",
        metadata: ["to": "\(sink.name)", "rows": "\(again)"])
    }
  }

  func versions(
    _ rows: [(key: StateKey, version: UInt64)]
  ) async throws(DeliveryError) -> [UInt64?] {
    let secret = try inLedger { () throws(Failure) in try ledger.secret() }
    let versions = try await sink.versions(StateVersions(secret: secret, rows: rows))
    guard versions.count == rows.count else {
      throw .failed(
        Failure(
          .unavailable, "\(sink.name): \(versions.count) versions of \(rows.count) rows"))
    }
    return versions
  }

  func startAnew() throws(DeliveryError) {
    let lost = try inLedger { () throws(Failure) in try ledger.startAnew() }
    monitor.count(.lost, lost)
    logger.error(
      "the ledger is an older copy, and counts anew: the receiver has later sums of it",
      metadata: ["to": "\(sink.name)", "ledger": "\(ledger.path)", "lost runs": "at most \(lost)"])
  }
}
