/// The result for one function.
package enum Verdict: String, CaseIterable, Sendable {
  /// Some run called it, or a piece of it.
  case called
  /// Its guard was watched, and no run called it.
  case neverCalled = "never called"
  /// Called, but by a smaller share of the runs than was asked for.
  case belowThreshold = "below threshold"
  /// Counted with another function: see `PieceKind`.
  case folded
  /// Made by the compiler or by a macro: it is not in the source, so it cannot be deleted there.
  case compilerGenerated = "compiler-generated"
  /// It may have run without its guard being reached: see `VerdictReason.verdict` for the seven reasons, such
  /// as a copy in a function that was called. Always the verdict on a function without code of its own.
  case inlined
  /// Has code and no guard: nothing but `fatalError` in it, another language, excluded.
  case notInstrumented = "not instrumented"
  /// Not in the newest build: the compiler or the linker dropped it, or it was deleted.
  case dropped
  /// Never called, with a reason why it has to stay.
  case kept
}

/// Why a function is counted with another one.
package enum PieceKind: String, CaseIterable, Sendable {
  case closure
  case defaultArgument = "default argument"
  /// A continuation of an async function or of a coroutine, which the compiler split.
  case asyncPiece = "async piece"
  case specialisation
  case mergedBody = "merged body"
  /// Forwards to it: partial application, dispatch, vtable, curry, C++ this-adjusting thunks.
  case thunk
  /// A getter, setter, observer or address of one variable or subscript.
  case accessor
  /// What a stored variable is set to before the initializer's own code runs.
  case initialValue = "initial value"
  /// The same function once more: in another object file, another image or another build, the other
  /// constructors and destructors of a C++ class, the allocating initializer of a Swift one.
  case copy
  /// Split off by the compiler: `.cold`, `.part`.
  case coldPart = "cold part"
}
