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

/// Handles SIGTERM and SIGINT from before the first file is opened. A service group handles them only once it
/// runs, and an earlier signal would end the process half-way, or not at all.
final class StopSignals: Sendable {
  private struct State {
    var group: ServiceGroup?
    var journal: WorkJournal?
  }

  private let state = Mutex(State())
  private let logger: Logger
  private let cutOff: @Sendable () -> Void

  /// Returns when signals are handled.
  ///
  /// - Parameter cutOff: ends the process at once.
  init(logger: Logger, cutOff: @escaping @Sendable () -> Void) async {
    self.logger = logger
    self.cutOff = cutOff
    let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
    Task {
      for await _ in signals { await self.stop() }
    }
  }

  /// Sets the group to shut down from now on.
  func end(_ group: ServiceGroup) { state.withLock { $0.group = group } }

  /// Sets the journal that learns of an orderly stop, so that interrupted work does not count as a crash.
  func end(_ journal: WorkJournal) { state.withLock { $0.journal = journal } }

  /// Seconds for work in progress, less than service managers wait. Work that is cut off is repeated after the
  /// next start, as after a power cut.
  private static let patience = 0.8

  private func stop() async {
    let state = state.withLock { $0 }
    state.journal?.stop()
    if let group = state.group {
      // A separate thread, so that busy threads do not delay signals.
      let thread = Thread { [logger, cutOff] in
        Thread.sleep(forTimeInterval: Self.patience)
        logger.info("stopped", metadata: ["reason": "some work was interrupted; its data is kept"])
        cutOff()
      }
      thread.start()
      // A group that does not run yet ends as soon as it runs.
      await group.triggerGracefulShutdown()
    } else {
      // Only the opening of stores is in progress, which may be cut off anywhere.
      logger.info("stopped", metadata: ["reason": "stopped during start-up"])
      cutOff()
    }
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

/// systemd's interface for services (sd_notify(3), sd_listen_fds(3)), without its library.
enum Systemd {
  /// Sends a state to the service manager, if there is one.
  static func notify(_ state: String) {
    guard let path = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }), !path.isEmpty else {
      return
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      bytes.copyBytes(from: path.utf8)
      // A name that starts with @ is abstract: unix(7).
      if path.begins(with: "@") { bytes[0] = 0 }
    }
    let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let size = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count)
    _ = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, state, state.utf8.count, CInt(MSG_NOSIGNAL), $0, size)
      }
    }
  }

  /// The socket that systemd opened for this service; nil without one.
  static func listeningSocket() -> CInt? {
    guard let pid = getenv("LISTEN_PID"), atoi(pid) == getpid(),
      let count = getenv("LISTEN_FDS"), atoi(count) >= 1
    else { return nil }
    // SD_LISTEN_FDS_START.
    return 3
  }

  /// Seconds within which systemd's watchdog expects a message; nil without a watchdog.
  static var watchdogSeconds: Double? {
    guard let text = getenv("WATCHDOG_USEC"), let microseconds = Double(String(cString: text)),
      microseconds > 0
    else { return nil }
    return microseconds / 1e6
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
