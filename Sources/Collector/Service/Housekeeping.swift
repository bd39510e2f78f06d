import FleetModel
import Logging
import ServiceLifecycle

/// Once an hour forgets what can't come again.
struct Housekeeping: Service {
  /// Days for which a trace that comes again is known. Hosts give up what is much younger.
  static let memoryDays: Int32 = 30

  let store: any FleetStore
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        let today = FleetDay(of: WallClock.now())
        do {
          try await store.forgetTraces(
            before: FleetDay(number: max(0, today.number - Self.memoryDays)))
        } catch {
          logger.warning("cannot clean up", metadata: ["reason": "\(error)"])
        }
        try? await Task.sleep(for: .seconds(3600))
      }
    }
  }
}
