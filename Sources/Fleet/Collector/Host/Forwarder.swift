import FirstlightModel
import FleetModel
import HTTPTransport
import Logging
import ServiceLifecycle
import SpoolIntake
import SystemSupport

/// Sends the ledger's rows to a store or upstream, and retries until it succeeds.
///
/// The ledger keeps all rows anyway, so an outage of any length loses nothing.
struct Forwarder: Service {
  let sender: LedgerSender
  let wake: WakeUp

  private var ledger: IntakeLedger { sender.ledger }
  private var sink: any FleetSink { sender.sink }
  private var monitor: DaemonMonitor { sender.monitor }
  private var logger: Logger { sender.logger }

  /// Seconds between comparisons with the receiver.
  private static let comparing = 3600.0
  /// Seconds for the last delivery, because some hosts live for minutes and come back without their ledger.
  /// Shorter than the patience of `StopSignals`.
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
        // This only decides when to check again; `send` decides which rows are due.
        await wake.wait(seconds: min(60, max(0.1, seconds ?? 60)))
      } catch {
        // Undelivered rows at shutdown stay in the ledger, so this is no failure.
        if Task.isCancelled { return }
        await postpone(error, &backoff)
      }
    }
  }

  private func delivered() {
    if sink.isOfThisHost { monitor.storeWorks() }
  }

  /// Waits until a retry makes sense.
  private func postpone(_ error: DeliveryError, _ backoff: inout Backoff) async {
    if let size = try? ledger.waitingSize() { monitor.waiting(size) }
    let seconds: Double
    switch error {
    case .failed(_, let wanted?):
      // The receiver is overloaded and asks the sender to wait. A random part is added, so that not all hosts
      // come back at once.
      seconds = Double.random(in: wanted...wanted * 2)
      monitor.sinkIsReachable(true)
      monitor.count(.busy)
      logger.info("the receiver has too much to do", metadata: retry(in: seconds))
    case .failed(let failure, nil), .refused(let failure):
      seconds = backoff.next()
      monitor.sinkIsReachable(false)
      if sink.isOfThisHost { monitor.storeFailed(failure) }
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

  /// Sends all waiting rows, even those that are not due. Undelivered rows stay for the next start.
  private func deliverLast() async {
    do throws(DeliveryError) {
      _ = try await sender.send(.atOnce)
    } catch {
      logger.info("some sums wait for the next start", metadata: ["to": "\(sink.name)"])
    }
  }
}

/// The delay before the next try. It doubles each time, up to a limit, and has a random part, so that a fleet
/// does not come back all at once.
struct Backoff {
  private let limit: Double
  /// The longest wait before the next try, seconds. The shortest is half of it.
  private(set) var current: Double

  init(first: Double = 0.5, limit: Double = 120) {
    self.limit = limit
    current = first
    self.first = first
  }

  private let first: Double

  mutating func succeeded() { current = first }

  /// Seconds to wait before this try.
  mutating func next() -> Double {
    defer { current = min(limit, current * 2) }
    return Double.random(in: current / 2...current)
  }
}
