import FirstlightModel
import Foundation
import Glibc
import Logging
import ServiceLifecycle
import Synchronization
import UnixSignals

/// A part without which the daemon is of no use: if it ends by itself, the whole daemon ends, in order, and
/// says why.
struct EssentialService: Service {
  /// For people.
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

  /// As a part of a group.
  var configured: ServiceGroupConfiguration.ServiceConfiguration {
    .init(
      service: self, successTerminationBehavior: .gracefullyShutdownGroup,
      failureTerminationBehavior: .gracefullyShutdownGroup)
  }
}

/// SIGTERM and SIGINT, heard from before the first file is opened: a service group hears them only once
/// it runs, and what came earlier would end the process half-way, or not at all.
final class StopSignals: Sendable {
  private let group = Mutex<ServiceGroup?>(nil)
  private let logger: Logger
  private let cutOff: @Sendable () -> Void

  /// Returns when signals are heard.
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

  /// Says who has to be ended from now on.
  func end(_ group: ServiceGroup) { self.group.withLock { $0 = group } }

  /// Seconds for what is being done. Services give up sooner than a manager loses patience, and what is cut
  /// off then is done again after the next start, as after a power cut.
  private static let patience = 0.8

  private func stop() async {
    if let group = group.withLock({ $0 }) {
      // A thread of its own: whatever keeps the others busy must not keep this one.
      let thread = Thread { [logger, cutOff] in
        Thread.sleep(forTimeInterval: Self.patience)
        logger.info("stopped", metadata: ["reason": "some work was interrupted; its data is kept"])
        cutOff()
      }
      thread.start()
      // Also before it runs: then it ends as soon as it does.
      await group.triggerGracefulShutdown()
    } else {
      // Nothing is at work but the opening of stores, which may be cut off anywhere.
      logger.info("stopped", metadata: ["reason": "stopped during start-up"])
      cutOff()
    }
  }
}

/// Says that firstlightd has started: as a service, since then all the others are at work.
struct Announcement: Service {
  let logger: Logger
  let facts: Logger.Metadata

  func run() async throws {
    logger.info("started", metadata: facts)
    try await gracefulShutdown()
  }
}

/// What systemd offers to services (sd_notify(3), sd_listen_fds(3)), without its library.
enum Systemd {
  /// Tells the service manager something, if there is one.
  static func notify(_ state: String) {
    guard let path = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }), !path.isEmpty else {
      return
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      bytes.copyBytes(from: path.utf8)
      // A name that starts with @ is an abstract one: unix(7).
      if path.hasPrefix("@") { bytes[0] = 0 }
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

  /// The socket that systemd listens on for us; nil if it does not.
  static func listeningSocket() -> CInt? {
    guard let pid = getenv("LISTEN_PID"), atoi(pid) == getpid(),
      let count = getenv("LISTEN_FDS"), atoi(count) >= 1
    else { return nil }
    // SD_LISTEN_FDS_START.
    return 3
  }

  /// Seconds within which the watchdog wants to hear from us; nil if there is none.
  static var watchdogSeconds: Double? {
    guard let text = getenv("WATCHDOG_USEC"), let microseconds = Double(String(cString: text)),
      microseconds > 0
    else { return nil }
    return microseconds / 1e6
  }
}

/// Tells systemd that we are ready, that we are alive, and that we stop.
struct SystemdService: Service {
  let monitor: DaemonMonitor

  func run() async throws {
    Systemd.notify("READY=1")
    let interval = Systemd.watchdogSeconds.map { $0 / 3 } ?? 3600
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        Systemd.notify("WATCHDOG=1")
        try? await Task.sleep(for: .seconds(interval))
      }
    }
    Systemd.notify("STOPPING=1")
  }
}
