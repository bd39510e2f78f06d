import FleetModel
import Logging
import ServiceLifecycle

/// Once an hour forgets what can't come again.
struct Housekeeping: Service {
  let store: any FleetStore
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do {
          try await store.forgetTraces(
            before: TraceMemory.horizon(
              today: FleetDay(of: WallClock.now()), known: try await store.traceDays()))
        } catch {
          logger.warning("cannot clean up", metadata: ["reason": "\(error)"])
        }
        try? await Task.sleep(for: .seconds(3600))
      }
    }
  }
}
