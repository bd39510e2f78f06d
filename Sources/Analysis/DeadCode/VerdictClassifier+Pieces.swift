import FirstlightModel

/// What rules ask of a function's pieces.
extension VerdictClassifier {
  /// Whether the place that is known of a function is its own, or stands for it since debug information
  /// has no place of its own for it.
  func isPlacedByItself(
    _ family: FunctionFamily, _ head: FunctionReport.Piece
  ) -> Bool {
    if head.kind == nil || head.kind == .copy || head.kind == .specialisation { return true }
    let itself = family.pieces.filter { $0.kind == nil }
    return !itself.isEmpty && itself.allSatisfy(\.isCompilerGenerated)
  }

  /// Whether debug information has no place for a copy, so that nothing is known of who made it.
  func isOfUnknownPlace(_ piece: FunctionReport.Piece) -> Bool {
    guard case .inlined(let index) = piece.place else { return false }
    return profile.builds[piece.build].build.inlined[index].file == nil
      && !piece.isCompilerGenerated
  }

  /// Whether such a piece is the function's own code, so that the function ran if it did, and only
  /// then.
  static func isBody(_ kind: PieceKind?) -> Bool {
    switch kind {
    case nil, .accessor, .copy, .specialisation, .initialValue: true
    case .closure, .defaultArgument, .asyncPiece, .mergedBody, .thunk, .coldPart: false
    }
  }

  /// Whether it is in a build that was optimised.
  func isOptimised(_ family: FunctionFamily) -> Bool {
    family.pieces.contains { $0.build >= 0 && profile.builds[$0.build].build.isOptimised }
  }
}
