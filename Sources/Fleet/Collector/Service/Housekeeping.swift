import FleetModel
import Logging
import ServiceLifecycle
import SystemSupport

/// Once an hour: closes days for which hosts may no longer send rows, adds up closed days, and applies the
/// retention rules.
struct Housekeeping: Service {
  let store: any FleetStore
  let retention: Retention
  /// The number of days before today for which hosts may still send rows.
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

/// Enforces the limits of a store: age, number of builds, size.
struct Retention: Sendable {
  let store: any FleetStore
  let rules: RetentionRules
  let monitor: DaemonMonitor
  let logger: Logger
  /// The current day.
  var today: @Sendable () -> FleetDay = { FleetDay(of: Clock.realtime()) }

  /// Sizes are estimates, so a pass repeats removal and estimation, at most this often.
  private static let rounds = 20

  /// Removes the data that exceed the limits, and logs what was removed.
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
      // Another daemon may have been faster.
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
