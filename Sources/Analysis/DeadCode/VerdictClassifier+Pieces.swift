import FirstlightModel

/// Questions of the rules about a function's pieces.
extension VerdictClassifier {
  /// Whether the known place belongs to the function itself, or represents it because debug information has no
  /// place for the function.
  func isPlacedByItself(
    _ family: FunctionFamily, _ head: FunctionReport.Piece
  ) -> Bool {
    if head.kind == nil || head.kind == .copy || head.kind == .specialisation { return true }
    let itself = family.pieces.filter { $0.kind == nil }
    return !itself.isEmpty && itself.allSatisfy(\.isCompilerGenerated)
  }

  /// Whether debug information has no place for a copy, so that its origin is unknown.
  func isOfUnknownPlace(_ piece: FunctionReport.Piece) -> Bool {
    guard case .inlined(let index) = piece.place else { return false }
    return profile.builds[piece.build].build.inlined[index].file == nil
      && !piece.isCompilerGenerated
  }

  /// Whether a piece of this kind is the function's own code: it runs if and only if the function runs.
  static func isBody(_ kind: PieceKind?) -> Bool {
    switch kind {
    case nil, .accessor, .copy, .specialisation, .initialValue: true
    case .closure, .defaultArgument, .asyncPiece, .mergedBody, .thunk, .coldPart: false
    }
  }

  /// Whether some code of the function was never watched from a start of the program.
  func isWithoutStart(_ family: FunctionFamily) -> Bool {
    family.pieces.contains { piece in
      guard piece.build >= 0, case .guarded(let function) = piece.place else { return false }
      let recorded = profile.builds[piece.build]
      return recorded.withoutStart.contains(recorded.build.entryGuards[function])
    }
  }

  /// Whether the function is in an optimised build.
  func isOptimised(_ family: FunctionFamily) -> Bool {
    family.pieces.contains { $0.build >= 0 && profile.builds[$0.build].build.isOptimised }
  }
}
