import Foundation
import Glibc
import Logging
import ServiceLifecycle
import Synchronization
import UnixSignals

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
