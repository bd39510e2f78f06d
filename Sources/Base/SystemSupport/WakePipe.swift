import FirstlightModel
import Glibc

/// A pipe that wakes a waiting thread.
package final class WakePipe: Sendable {
  /// Can be read when it has rung.
  package let output: Int32
  private let input: Int32

  /// Fails with `.system` if there is no descriptor left.
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

  /// Any thread, as often as it likes.
  package func ring() { _ = write(input, "!", 1) }

  /// Has it wait for the next ring.
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
