/// The kind of a piece that counts with its function.
package enum PieceKind: String, CaseIterable, Sendable {
  case closure
  case defaultArgument = "default argument"
  /// A continuation of an async function or coroutine that the compiler split.
  case asyncPiece = "async piece"
  case specialisation
  case mergedBody = "merged body"
  /// Code that forwards to a function: partial application, dispatch, vtable, curry, C++ this-adjusting thunks.
  case thunk
  /// A getter, setter, observer or address of one variable or subscript.
  case accessor
  /// The code for a stored variable's initial value, which runs before the initializer's own code.
  case initialValue = "initial value"
  /// The same function again: in another object file, image or build, another constructor or destructor of a
  /// C++ class, the allocating initializer of a Swift one.
  case copy
  /// Split off by the compiler: `.cold`, `.part`.
  case coldPart = "cold part"
}
