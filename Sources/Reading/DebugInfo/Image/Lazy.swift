import Synchronization

/// A value that is made when first asked for, once, whichever thread asks.
final class Lazy<Value: Sendable>: Sendable {
  private let state = Mutex<Value?>(nil)

  /// The value, made by `make` if this is the first call. Others wait meanwhile.
  func value(_ make: () -> Value) -> Value {
    state.withLock { state in
      if let value = state { return value }
      let value = make()
      state = value
      return value
    }
  }
}
