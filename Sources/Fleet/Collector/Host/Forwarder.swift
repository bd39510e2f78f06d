import FirstlightModel
import FleetAPI
import FleetModel
import Foundation
import IntakeLedger
import Logging
import ServiceLifecycle

/// Brings what is in the outbox to a store or upstream, oldest first, as long as it takes.
///
/// A batch leaves the outbox when its receiver has it for good, and never before; one that its receiver has
/// seen and will never take is put aside as a file. Whatever else goes wrong, batches wait.
struct Forwarder: Service {
  let ledger: IntakeLedger
  let sink: any FleetSink
  let configuration: DaemonConfiguration
  /// Where batches go that are refused as a whole.
  let asideDirectory: String
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
          try await deliver(batch)
          backoff.succeeded()
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

  private func deliver(_ batch: OutboxBatch) async throws(Failure) {
    let receipt: IngestReceipt
    do throws(DeliveryError) {
      receipt = try await sink.deliver(try ready(batch))
    } catch {
      switch error {
      case .failed(let failure): throw failure
      case .refused(let failure):
        try putAside(batch, reason: failure)
        return try ledger.acknowledge(batch.id, sampleLimits: [:])
      }
    }
    try ledger.acknowledge(batch.id, sampleLimits: receipt.sampleLimits)
    if configuration.upstream == nil { monitor.storeWorks() }
    monitor.count(.delivered, batch.traces)
    for refused in receipt.refused {
      logger.warning(
        "trace refused", metadata: ["trace": "\(refused.id)", "reason": "\(refused.reason)"])
    }
    monitor.count(.refused, receipt.refused.count)
    onDelivery()
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

  /// - Throws: `.unavailable` if it cannot be kept; then it stays in the outbox.
  private func putAside(_ batch: OutboxBatch, reason: Failure) throws(Failure) {
    let path = "\(asideDirectory)/batch-\(batch.id)-\(UInt64(batch.madeAt * 1000))"
    do {
      try Data(batch.bytes).write(to: URL(fileURLWithPath: path + ".flb"), options: .atomic)
      try Data("\(reason)\n".utf8).write(to: URL(fileURLWithPath: path + ".reason"))
    } catch {
      throw Failure(.unavailable, "\(path).flb: cannot be written: \(error.localizedDescription)")
    }
    monitor.count(.refused, batch.traces)
    logger.error(
      "batch put aside",
      metadata: [
        "file": "\(path).flb", "traces": "\(batch.traces)", "reason": "\(reason)",
      ])
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
