import Logging
import ServiceLifecycle

/// Says that firstlightd has started: as a service, since then all the others are at work.
struct Announcement: Service {
  let logger: Logger
  let facts: Logger.Metadata

  func run() async throws {
    logger.info("started", metadata: facts)
    try await gracefulShutdown()
  }
}
