import FirstlightModel
import FleetAPI
import FleetModel
import Foundation
import IntakeLedger
import Logging
import ServiceLifecycle
import SpoolIntake

/// Brings what is in the outbox to a store or upstream, oldest first, as long as it takes.
///
/// A batch leaves the outbox when its receiver has it for good, and never before; what its receiver has seen
/// and will never take, the whole batch or some of its traces, is put aside as a file. Whatever else goes
/// wrong, batches wait.
struct Forwarder: Service {
  let ledger: IntakeLedger
  let sink: any FleetSink
  let configuration: DaemonConfiguration
  /// Where goes what is refused.
  let quarantine: Quarantine
  let wake: WakeUp
  let monitor: DaemonMonitor
  let logger: Logger
  let onDelivery: @Sendable () -> Void

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await deliverAll()
    }
    // What is left stays in the outbox for the next time.
  }

  private func deliverAll() async {
    var backoff = Backoff()
    while !Task.isCancelled {
      do throws(Failure) {
        try giveUp()
        let waiting = try ledger.waiting(limit: 1)
        for batch in waiting {
          if Task.isCancelled { return }
          if let seconds = try await deliver(batch) {
            await postpone(seconds)
          } else {
            backoff.succeeded()
          }
        }
        monitor.outbox(try ledger.outboxSize())
        if waiting.isEmpty {
          monitor.sinkIsReachable(true)
          await wake.wait(seconds: 60)
        }
      } catch {
        // Told to end: what could not be delivered stays, and nobody failed.
        if Task.isCancelled { return }
        let seconds = backoff.next()
        monitor.sinkIsReachable(false)
        if error.kind == .data, configuration.upstream == nil { monitor.storeFailed(error) }
        monitor.count(.deliveryFailures)
        logger.warning(
          "cannot deliver",
          metadata: [
            "to": "\(sink.name)", "reason": "\(error)",
            "retry": "in \((seconds * 10).rounded() / 10) s",
          ])
        if let size = try? ledger.outboxSize() { monitor.outbox(size) }
        try? await Task.sleep(for: .seconds(seconds))
      }
    }
  }

  /// Waits as its receiver asks, which works and has too much to do; a random part longer, so that a fleet
  /// doesn't come back all at once.
  private func postpone(_ seconds: Double) async {
    let seconds = Double.random(in: seconds...seconds * 2)
    monitor.sinkIsReachable(true)
    monitor.count(.busy)
    logger.info(
      "the receiver has too much to do",
      metadata: ["to": "\(sink.name)", "retry": "in \((seconds * 10).rounded() / 10) s"])
    try? await Task.sleep(for: .seconds(seconds))
  }

  /// - Returns: nil, or in how many seconds its receiver wants the batch again.
  private func deliver(_ batch: OutboxBatch) async throws(Failure) -> Double? {
    let receipt: IngestReceipt
    do throws(DeliveryError) {
      receipt = try await sink.deliver(try ready(batch))
    } catch {
      switch error {
      case .failed(_, let seconds?): return seconds
      case .failed(let failure, nil): throw failure
      case .refused(let failure):
        try putAside(batch, reason: "\(failure)")
        try ledger.acknowledge(batch.id, sampleLimits: [:])
        return nil
      }
    }
    let refused = try putAside(receipt.refused, of: batch)
    try ledger.acknowledge(batch.id, sampleLimits: receipt.sampleLimits)
    if configuration.upstream == nil { monitor.storeWorks() }
    monitor.count(.delivered, batch.traces - refused)
    onDelivery()
    return nil
  }

  /// A batch in the form that the sink takes. One of an earlier time, when this host had a store of its own,
  /// is made anew, once.
  private func ready(_ batch: OutboxBatch) throws(DeliveryError) -> [UInt8] {
    guard configuration.upstream != nil, !Deflate.isCompressed(batch.bytes) else {
      return batch.bytes
    }
    do throws(Failure) {
      let bytes = try OutboxBytes.travelling(batch.bytes)
      try ledger.replace(batch.id, with: bytes)
      return bytes
    } catch {
      throw error.kind == .data ? .refused(error) : .failed(error)
    }
  }

  /// Keeps the traces of a batch that were refused, as a batch of their own.
  /// - Returns: how many there are.
  /// - Throws: as `putAside(_:reason:)`.
  private func putAside(
    _ refused: [RefusedTrace], of batch: OutboxBatch
  ) throws(Failure) -> Int {
    guard !refused.isEmpty else { return 0 }
    let reasons = Dictionary(
      refused.map { ($0.id, $0.reason) }, uniquingKeysWith: { first, _ in first })
    var part = batch
    (part.bytes, part.traces) = try FleetBatch.rewritten(OutboxBytes.plain(batch.bytes)) { trace in
      reasons[trace.id] == nil ? nil : trace
    }
    // What names no trace of this batch is nonsense.
    guard part.traces > 0 else { return 0 }
    if Deflate.isCompressed(batch.bytes) { part.bytes = try Deflate.compress(part.bytes) }
    // Most of a batch are refused for one reason, if any.
    let texts = Set(reasons.values).sorted()
    try putAside(part, reason: texts.prefix(10).joined(separator: "\n"))
    return part.traces
  }

  /// - Throws: `.unavailable` if it cannot be kept; then it stays in the outbox.
  private func putAside(_ batch: OutboxBatch, reason: String) throws(Failure) {
    let (path, reasonPath) = quarantine.path(
      ofBatch: batch.id, madeAt: batch.madeAt, traces: batch.traces)
    do {
      try Data((reason + "\n").utf8).write(to: URL(fileURLWithPath: reasonPath))
      try Data(batch.bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw Failure(.unavailable, "\(path): cannot be written: \(error.localizedDescription)")
    }
    monitor.count(.refused, batch.traces)
    logger.error(
      "refused traces quarantined",
      metadata: ["file": "\(path)", "traces": "\(batch.traces)", "reason": "\(reason)"])
    quarantine.added(bytes: batch.bytes.count, files: 1, reason: reason)
    monitor.removed(quarantine.trim(), logger)
  }

  private func giveUp() throws(Failure) {
    let lost = try ledger.giveUp(
      olderThan: configuration.outboxDays * 86400, keeping: configuration.outboxBytes)
    if lost > 0 {
      monitor.count(.lost, lost)
      logger.error(
        "traces lost",
        metadata: [
          "traces": "\(lost)", "reason": "the outbox is full or they are too old",
        ])
    }
  }
}
