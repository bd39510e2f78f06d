import FirstlightModel
import Foundation
import Glibc
import Logging
import ServiceLifecycle
import SpoolIntake
import Synchronization
import UnixSignals

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
