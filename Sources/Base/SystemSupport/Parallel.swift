import Dispatch
import Glibc
import Synchronization

/// Runs work on all processors.
package enum Parallel {
  /// Number of concurrent threads.
  package static let processors = max(1, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN))))

  /// Calls `body` for each part of `0..<count` of at most `batch` elements, several at a time.
  package static func forEach(_ count: Int, batch: Int, _ body: @Sendable (Range<Int>) -> Void) {
    let parts = (count + batch - 1) / batch
    // Starting threads costs more time than they save for a single part.
    guard parts > 1 else { return count > 0 ? body(0..<count) : () }
    DispatchQueue.concurrentPerform(iterations: parts) {
      body($0 * batch..<min(count, ($0 + 1) * batch))
    }
  }

  /// The results of `body` for `0..<count`, in order.
  package static func map<T>(_ count: Int, batch: Int, _ body: @Sendable (Int) -> T) -> [T] {
    [T](unsafeUninitializedCapacity: count) { buffer, initialized in
      // Each part of the work fills its own part of the buffer.
      nonisolated(unsafe) let results = buffer
      forEach(count, batch: batch) { part in
        for index in part { results.initializeElement(at: index, to: body(index)) }
      }
      initialized = count
    }
  }
}

/// A value that is created once, at first use by any thread.
package final class Lazy<Value: Sendable>: Sendable {
  private let state = Mutex<Value?>(nil)

  package init() {}

  /// The value, created by `make` in the first call. Other callers wait meanwhile.
  package func value(_ make: () -> Value) -> Value {
    state.withLock { state in
      if let value = state { return value }
      let value = make()
      state = value
      return value
    }
  }
}
