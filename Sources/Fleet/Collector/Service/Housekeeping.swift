import FleetModel
import Logging
import ServiceLifecycle
import SystemSupport

/// Once an hour forgets what can't come again, and removes what retention lets go.
struct Housekeeping: Service {
  let store: any FleetStore
  let retention: Retention
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do {
          try await store.forgetTraces(
            before: TraceMemory.horizon(
              today: FleetDay(of: Clock.realtime()), known: try await store.traceDays()))
          try await retention.pass()
        } catch {
          guard !Task.isCancelled else { return }
          logger.warning("cannot clean up", metadata: ["reason": "\(error)"])
        }
        try? await Task.sleep(for: .seconds(3600))
      }
    }
  }
}
