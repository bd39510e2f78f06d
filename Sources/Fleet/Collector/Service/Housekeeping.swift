import FleetModel
import Logging
import ServiceLifecycle
import SystemSupport

/// Once an hour closes days whose rows hosts may no longer send, adds up closed days, and removes what the
/// retention rules say.
struct Housekeeping: Service {
  let store: any FleetStore
  let retention: Retention
  /// Days before today of which hosts may still send rows.
  let openDays: Int
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do {
          try await closeDays()
          try await retention.pass()
        } catch {
          guard !Task.isCancelled else { return }
          logger.warning("cannot clean up", metadata: ["reason": "\(error)"])
        }
        try? await Task.sleep(for: .seconds(3600))
      }
    }
  }

  private func closeDays() async throws {
    guard
      let day = AgreedDay.of(
        today: FleetDay(of: Clock.realtime()), received: try await store.receivedDays())
    else { return }
    let closed = try await store.close(
      before: FleetDay(number: max(0, day.number - Int32(clamping: openDays))))
    if closed > 0 { logger.notice("days added up", metadata: ["days": "\(closed)"]) }
  }
}

/// Keeps a store within its rules: age, number of builds, size.
struct Retention: Sendable {
  let store: any FleetStore
  let rules: RetentionRules
  let monitor: DaemonMonitor
  let logger: Logger
  /// As the clock has it.
  var today: @Sendable () -> FleetDay = { FleetDay(of: Clock.realtime()) }

  /// Sizes are estimates: a pass removes and estimates again up to so many times.
  private static let rounds = 20

  /// Removes what has to go, and says so.
  func pass() async throws {
    let received = try await store.receivedDays()
    for _ in 0..<Self.rounds {
      let inventory = try await store.inventory(sizedAbove: rules.bytes)
      monitor.store(bytes: inventory.bytes)
      guard let day = AgreedDay.of(today: today(), received: received) else { return }
      let deletions = rules.deletions(from: inventory, today: day)
      guard !deletions.isEmpty else { return warn(inventory) }
      let removed = monitor.now.counts
      try await store.drop(deletions) { deletion, rows in
        monitor.dropped(rows)
        logger.notice(
          "dropped",
          metadata: [
            "what": "\(deletion)", "reason": "\(deletion.reason)", "sums": "\(rows.sums)",
            "traces": "\(rows.sampledTraces)",
          ])
      }
      // Another daemon may have been first.
      guard monitor.now.counts != removed else { return }
    }
  }

  private func warn(_ inventory: StoreInventory) {
    guard let limit = rules.bytes, inventory.bytes > limit else { return }
    logger.warning(
      "store larger than retain-bytes, but all its evidence is recent",
      metadata: ["bytes": "\(inventory.bytes)", "days": "\(RetentionRules.reportingDays)"])
  }
}
