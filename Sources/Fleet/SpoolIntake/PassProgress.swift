import Synchronization
import SystemSupport

/// Shows other threads whether a pass over a spool makes progress: its disk may not answer.
package final class PassProgress: Sendable {
  /// Time of the last step of the current pass, CLOCK_MONOTONIC in seconds; nil between passes.
  private let last = Mutex<Double?>(nil)

  init() {}

  /// Notes a step of a pass.
  func step() { last.withLock { $0 = Clock.monotonic() } }

  func end() { last.withLock { $0 = nil } }

  /// Seconds since the last step of a pass that has not ended; else 0.
  package var silence: Double { last.withLock { $0 }.map { max(0, Clock.monotonic() - $0) } ?? 0 }
}
