import FirstlightModel
import Foundation
import Logging
import ServiceLifecycle
import SpoolIntake
import Synchronization

/// Collects the recordings of this host's programs, on a thread of its own: it waits in poll(2) and reads
/// files.
struct IntakeService: Service {
  let intake: UncheckedIntake
  let watcher: SpoolWatcher
  let socketPath: String?
  let listening: CInt?
  let wake: WakeUp
  let monitor: DaemonMonitor
  let logger: Logger

  /// Passes the intake to the only thread that uses it.
  struct UncheckedIntake: @unchecked Sendable {
    let intake: SpoolIntake
  }

  func run() async throws {
    let handlers = SpoolWatcher.Handlers(
      passed: { report, seconds in
        monitor.passed(report, seconds: seconds)
        for text in report.problems {
          logger.warning("damaged recording", metadata: ["reason": "\(text)"])
        }
        for text in report.quarantined {
          logger.error("recording quarantined", metadata: ["reason": "\(text)"])
        }
        for recordings in report.dropped {
          logger.error("recording dropped: quota exceeded", metadata: ["process": "\(recordings)"])
        }
        monitor.removed(report.removed, logger)
        if report.taken > 0 {
          logger.info("collected", metadata: ["processes": "\(report.taken)"])
        }
        if report.taken + report.updated > 0 { wake.wake() }
      },
      failed: { failure in
        guard monitor.failed(failure) else { return }
        logger.warning("cannot collect", metadata: ["reason": "\(failure)"])
      })
    try await withTaskCancellationOrGracefulShutdownHandler {
      try await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<Void, any Error>) in
        let thread = Thread {
          do throws(Failure) {
            try watcher.run(
              intake.intake, socketPath: socketPath, listening: listening, handlers: handlers)
            continuation.resume()
          } catch {
            continuation.resume(throwing: error)
          }
        }
        thread.name = "intake"
        thread.stackSize = 8 << 20
        thread.start()
      }
    } onCancelOrGracefulShutdown: {
      watcher.stop()
    }
  }
}
