import FleetModel
import Logging
import ServiceLifecycle
import SystemSupport

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
