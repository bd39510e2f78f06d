/// The result for one function.
package enum Verdict: String, CaseIterable, Sendable {
  /// Some run called it, or a piece of it.
  case called
  /// It has a guard, and no run called it.
  case neverCalled = "never called"
  /// A smaller share of the runs than requested called it.
  case belowThreshold = "below threshold"
  /// It counts with another function: see `PieceKind`.
  case folded
  /// The compiler or a macro generated it: it is not in the source, so it cannot be deleted there.
  case compilerGenerated = "compiler-generated"
  /// It may have run without its guard being reached: see `VerdictReason.verdict` for the reasons, such
  /// as a copy in a function that was called. Always the verdict on a function without code of its own.
  case inlined
  /// Its code has no guard: it only calls `fatalError`, is written in another language, or is excluded.
  case notInstrumented = "not instrumented"
  /// No window of a running program saw a call, and no start of the program was recorded, which may have called it.
  case notCalledWhileWatched = "not called while watched"
  /// The recorder attached to a running program and could not watch the function; or it is `main`, which ran before.
  case unwatched
  /// It is not in the newest build: it was deleted, or the compiler or the linker dropped it.
  case dropped
  /// It was never called, but there is a reason to keep it.
  case kept

  /// The answer to one question: did some recorded run call the function?
  package enum Answer: String, CaseIterable, Sendable {
    case called
    case neverCalled = "never called"
    /// It may have run unseen, or was not watched from a start.
    case unknown
  }

  /// Nil where the question has no sense: the function is not in the source, or not in the newest build, or it counts
  /// with another one.
  package var answer: Answer? {
    switch self {
    case .called, .belowThreshold: .called
    case .neverCalled, .kept: .neverCalled
    case .inlined, .notInstrumented, .notCalledWhileWatched, .unwatched: .unknown
    case .folded, .compilerGenerated, .dropped: nil
    }
  }
}
