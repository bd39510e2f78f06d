import FirstlightModel

extension Judge {
  /// What is to be said of a function; `report` holds what was counted of it.
  func verdict(
    _ index: Int, _ family: FunctionFamily, _ report: inout FunctionReport
  ) -> Verdict {
    // Copies of specialisations say nothing of who made them.
    var isMade = false
    for piece in family.pieces where !isOfUnknownPlace(piece) {
      isMade = piece.isCompilerMade
      if !isMade { break }
    }
    if isMade { return .compilerMade }
    if report.calledRuns > 0 {
      guard let below = options.below, report.penetration < below else { return .called }
      return .belowThreshold
    }
    if isDropped(family) { return .dropped }
    if mayHaveRunInlined(index, family) { return .inlined }
    let bodies = family.pieces.filter { Self.isBody($0.kind) }
    let isInlinedOnly =
      !bodies.isEmpty
      && bodies.allSatisfy { if case .inlined = $0.place { true } else { false } }
    if isInlinedOnly { return .inlined }
    let hasUnguardedBody = bodies.contains {
      if case .unguarded = $0.place { !$0.isCompilerMade } else { false }
    }
    if hasUnguardedBody || report.head == nil { return .notInstrumented }
    switch options.inlining(report) {
    case .mandatory: return .inlined
    case .whenOptimised
    where family.pieces.contains { $0.build >= 0 && profile.builds[$0.build].build.isOptimised }:
      return .inlined
    case .never: return .neverCalled
    default: return mayHaveVanished(family, report) ? .inlined : .neverCalled
    }
  }

  /// Whether an optimiser can have copied it into callers and left no record: of functions that only
  /// pass things on or put them together, nothing may remain that a record could be about. The limits
  /// are well above what was seen to vanish (Benchmarks/RESULTS.md). C files are compiled one by one,
  /// and their compilers leave a record of all but the smallest.
  private func mayHaveVanished(_ family: FunctionFamily, _ report: FunctionReport) -> Bool {
    let bodies = family.pieces.filter { Self.isBody($0.kind) && $0.build >= 0 }
    guard bodies.contains(where: { profile.builds[$0.build].build.isOptimised }) else {
      return false
    }
    let limit: UInt64 =
      family.isSwift ? SwiftEntityName.isGeneric(family.root) ? 1024 : 256 : 64
    let largest = bodies.lazy.compactMap { function($0)?.size }.max() ?? 0
    return largest < limit
  }

  /// Whether the place that is known of a function is its own, or stands for it since debug information
  /// has no place of its own for it.
  func isPlacedByItself(
    _ family: FunctionFamily, _ head: FunctionReport.Piece
  ) -> Bool {
    if head.kind == nil || head.kind == .copy || head.kind == .specialisation { return true }
    let itself = family.pieces.filter { $0.kind == nil }
    return !itself.isEmpty && itself.allSatisfy(\.isCompilerMade)
  }

  private func isOfUnknownPlace(_ piece: FunctionReport.Piece) -> Bool {
    guard case .inlined(let index) = piece.place else { return false }
    return profile.builds[piece.build].build.inlined[index].file == nil && !piece.isCompilerMade
  }

  /// Whether such a piece is the function's own code, so that the function ran if it did, and only
  /// then.
  private static func isBody(_ kind: PieceKind?) -> Bool {
    switch kind {
    case nil, .accessor, .copy, .specialisation, .initialValue: true
    case .closure, .defaultArgument, .asyncPiece, .mergedBody, .thunk, .coldPart: false
    }
  }

  /// Whether it is in no newest build of an image, but in the linker's list or in older builds.
  private func isDropped(_ family: FunctionFamily) -> Bool {
    family.pieces.allSatisfy { piece in
      guard piece.build >= 0 else { return true }
      let image = imageNames[piece.build]
      guard let newest = newest[image] else { return false }
      return rank[newest] > rank[piece.build]
    }
  }

  /// Whether a function that holds a copy of it, and isn't one of its own pieces, was called, or
  /// can't be watched.
  private func mayHaveRunInlined(_ index: Int, _ family: FunctionFamily) -> Bool {
    for piece in family.pieces {
      guard case .inlined(let copy) = piece.place else { continue }
      let recorded = profile.builds[piece.build]
      let inlined = recorded.build.inlined[copy]
      if inlined.hasUnwatchedHost { return true }
      for host in inlined.hosts {
        guard let function = recorded.build.function(ofGuard: host) else { return true }
        if familyOfGuard[piece.build][function] == Int32(index) { continue }
        if recorded.isCalled(function: function) { return true }
      }
    }
    return false
  }
}
