import FirstlightModel
import FleetModel
import IntakeLedger
import Logging
import ServiceLifecycle
import SystemSupport

/// Keeps a store or upstream up to date with what the ledger has counted, as long as it takes.
///
/// The ledger keeps all rows anyway, so nothing is dropped during an outage, however long it lasts.
struct Forwarder: Service {
  let sender: LedgerSender
  let wake: WakeUp
  let onDelivery: @Sendable () -> Void

  private var ledger: IntakeLedger { sender.ledger }
  private var sink: any FleetSink { sender.sink }
  private var monitor: DaemonMonitor { sender.monitor }
  private var logger: Logger { sender.logger }

  /// Seconds between two comparisons with the receiver.
  private static let comparing = 3600.0
  /// Seconds for the last delivery: some hosts live for minutes and come back without their ledger. Less than
  /// `StopSignals` waits for everything.
  var lastDelivery = 0.6

  func run() async throws {
    await cancelWhenGracefulShutdown { await deliverAll() }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await deliverLast() }
      group.addTask { try? await Task.sleep(for: .seconds(lastDelivery)) }
      await group.next()
      group.cancelAll()
    }
  }

  private func deliverAll() async {
    let pace = sink.isOfThisHost ? SendingPace.store : SendingPace.upstream
    var backoff = Backoff()
    var nextComparison = Clock.monotonic()
    while !Task.isCancelled {
      do throws(DeliveryError) {
        if Clock.monotonic() >= nextComparison {
          try await sender.compare()
          nextComparison = Clock.monotonic() + Self.comparing * Double.random(in: 0.9...1.1)
        }
        if try await sender.send(pace) { delivered() }
        backoff.succeeded()
        monitor.sinkIsReachable(true)
        let seconds = try sender.inLedger { () throws(Failure) in
          monitor.waiting(try ledger.waitingSize())
          return try ledger.secondsUntilDue(pace)
        }
        // This only decides when to look again; `send` decides which rows are due.
        await wake.wait(seconds: min(60, max(0.1, seconds ?? 60)))
      } catch {
        // Shutting down: undelivered rows stay, and that is no failure.
        if Task.isCancelled { return }
        await postpone(error, &backoff)
      }
    }
  }

  private func delivered() {
    if sink.isOfThisHost { monitor.storeWorks() }
    onDelivery()
  }

  /// Waits until another try makes sense.
  private func postpone(_ error: DeliveryError, _ backoff: inout Backoff) async {
    if let size = try? ledger.waitingSize() { monitor.waiting(size) }
    let seconds: Double
    switch error {
    case .failed(_, let wanted?):
      // The receiver works, has too much to do, and asks to wait. A random part is added so that not all
      // hosts come back at once.
      seconds = Double.random(in: wanted...wanted * 2)
      monitor.sinkIsReachable(true)
      monitor.count(.busy)
      logger.info("the receiver has too much to do", metadata: retry(in: seconds))
    case .failed(let failure, nil), .refused(let failure):
      seconds = backoff.next()
      monitor.sinkIsReachable(false)
      if failure.kind == .data, sink.isOfThisHost { monitor.storeFailed(failure) }
      monitor.count(.deliveryFailures)
      var metadata = retry(in: seconds)
      metadata["reason"] = "\(failure)"
      logger.warning("cannot deliver", metadata: metadata)
    }
    try? await Task.sleep(for: .seconds(seconds))
  }

  private func retry(in seconds: Double) -> Logger.Metadata {
    ["to": "\(sink.name)", "retry": "in \((seconds * 10).rounded() / 10) s"]
  }

  /// Sends what waits, whether its turn has come or not. What is not delivered stays for the next start.
  private func deliverLast() async {
    do throws(DeliveryError) {
      if ledger.needsComparison { try await sender.compare() }
      if try await sender.send(.atOnce) { onDelivery() }
    } catch {
      logger.info("some sums wait for the next start", metadata: ["to": "\(sink.name)"])
    }
  }
}
