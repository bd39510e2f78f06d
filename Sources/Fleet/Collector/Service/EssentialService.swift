import FirstlightModel
import Foundation
import Glibc
import Logging
import ServiceLifecycle
import SpoolIntake
import Synchronization
import UnixSignals

/// A service that the daemon cannot do without: if it ends by itself, the whole daemon stops in order and
/// reports the reason.
struct EssentialService: Service {
  /// The name in messages.
  let name: String
  let service: any Service

  func run() async throws {
    do {
      try await service.run()
    } catch let failure as Failure {
      throw failure
    } catch {
      guard !Task.isShuttingDownGracefully, !Task.isCancelled else { return }
      throw Failure(.system, "\(name) failed: \(error)")
    }
    guard Task.isShuttingDownGracefully || Task.isCancelled else {
      throw Failure(.system, "\(name) ended unexpectedly")
    }
  }

  /// The configuration as a part of a group.
  var configured: ServiceGroupConfiguration.ServiceConfiguration {
    .init(
      service: self, successTerminationBehavior: .gracefullyShutdownGroup,
      failureTerminationBehavior: .gracefullyShutdownGroup)
  }
}

/// Logs that firstlightd has started. As a service, it runs after all others have started.
struct Announcement: Service {
  let logger: Logger
  let facts: Logger.Metadata

  func run() async throws {
    logger.info("started", metadata: facts)
    try await gracefulShutdown()
  }
}

/// Reports to systemd that the daemon is ready, alive, or stopping. A daemon whose intake hangs, as on a disk that does
/// not answer, is not alive.
struct SystemdService: Service {
  let monitor: DaemonMonitor

  func run() async throws {
    Systemd.notify("READY=1")
    let interval = Systemd.watchdogSeconds.map { $0 / 3 } ?? 3600
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        if Self.isAlive(silence: monitor.intakeSilence, interval: interval) {
          Systemd.notify("WATCHDOG=1")
        }
        try? await Task.sleep(for: .seconds(interval))
      }
    }
    Systemd.notify("STOPPING=1")
  }

  /// Whether to send a message. One that is left out does not matter: systemd waits for three intervals.
  static func isAlive(silence: Double, interval: Double) -> Bool { silence < interval / 2 }
}
