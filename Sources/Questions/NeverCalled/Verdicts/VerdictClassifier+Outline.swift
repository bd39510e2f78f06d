import FirstlightModel

extension VerdictClassifier {
  /// The piece that represents the function. Guarded pieces come before others, the function itself before its
  /// pieces, and newer builds before older ones.
  func head(of family: FunctionFamily) -> Int {
    func weight(_ piece: FunctionReport.Piece) -> (Int, Int, Int, Int) {
      let place =
        switch piece.place {
        case .guarded: 0
        case .unguarded: 1
        case .inlined: 2
        case .counted: 3
        case .dropped: 4
        }
      let kind =
        switch piece.kind {
        case nil: 0
        case .accessor: 1
        case .copy: 2
        case .initialValue: 3
        case .specialisation: 4
        case .asyncPiece: 5
        case .mergedBody: 6
        case .coldPart: 7
        case .defaultArgument: 8
        case .closure: 9
        case .thunk: 10
        }
      return (
        place, piece.isCompilerGenerated ? 1 : 0, kind, piece.build < 0 ? 0 : -rank[piece.build]
      )
    }
    guard family.pieces.count > 1 else { return 0 }
    var best = 0
    var bestWeight = weight(family.pieces[0])
    for index in family.pieces.indices.dropFirst() {
      let other = weight(family.pieces[index])
      if other < bestWeight { (best, bestWeight) = (index, other) }
    }
    return best
  }

  func images(of family: FunctionFamily) -> [String] {
    if family.pieces.count == 1, let piece = family.pieces.first {
      return piece.build < 0 ? [] : imageLists[piece.build]
    }
    return Set(
      family.pieces.lazy.filter { $0.build >= 0 }.map { imageNames[$0.build] }
    ).sorted()
  }

  /// The bytes of a function, in the image that has most of them.
  func bytes(of family: FunctionFamily) -> UInt64 {
    if family.pieces.count == 1 {
      guard let function = function(family.pieces[0]), function.address != nil else { return 0 }
      return min(function.size, Self.mostBytes)
    }
    var newest: [TextBytes: Int] = [:]
    for piece in family.pieces where piece.build >= 0 {
      let name = imageNames[piece.build]
      if newest[name].map({ rank[$0] < rank[piece.build] }) ?? true { newest[name] = piece.build }
    }
    var sums: [Int: UInt64] = [:]
    // Identical functions that the linker merged share their bytes.
    var counted: Set<UInt64> = []
    for piece in family.pieces where piece.build >= 0 {
      switch piece.place {
      case .inlined, .counted: continue
      case .guarded, .unguarded, .dropped: break
      }
      guard newest[imageNames[piece.build]] == piece.build,
        let function = function(piece), let address = function.address
      else { continue }
      if counted.insert(UInt64(piece.build) << 48 ^ address).inserted {
        sums[piece.build, default: 0] += min(function.size, Self.mostBytes)
      }
    }
    return sums.values.max() ?? 0
  }

  /// More bytes than any function has. A damaged file may claim any size, and sums of millions must not overflow.
  private static var mostBytes: UInt64 { 1 << 36 }
}

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
