import FirstlightModel
import Glibc

/// A pipe that wakes a waiting thread.
package final class WakePipe: Sendable {
  /// Readable after `ring()`.
  package let output: Int32
  private let input: Int32

  /// Fails with `.system` if no descriptor is left.
  package init() throws(Failure) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw Failure(.system, "cannot create a pipe: \(ErrorText.of(errno))")
    }
    (output, input) = (ends[0], ends[1])
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
  }

  /// Wakes the waiting thread. Safe from any thread, any number of times.
  package func ring() { _ = write(input, "!", 1) }

  /// Makes the pipe wait for the next ring.
  package func reset() {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { rings in
      while read(output, rings.baseAddress, rings.count) > 0 {}
    }
  }

  deinit {
    close(output)
    close(input)
  }
}
