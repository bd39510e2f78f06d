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
