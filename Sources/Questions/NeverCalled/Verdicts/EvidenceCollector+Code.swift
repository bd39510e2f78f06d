import FirstlightModel

/// Evidence from the binaries: the code of a function, and code that runs in its place.
extension EvidenceCollector {
  func addCode(
    of family: FunctionFamily, _ index: Int, hasGuard: Bool, to evidence: inout FunctionEvidence
  ) {
    let builds = family.pieces.compactMap(\.build)
    evidence.isInBinary = family.pieces.contains(where: \.isInBinary)
    evidence.isOptimised = builds.contains { profile.builds[$0].build.isOptimised }
    evidence.isHooked = builds.allSatisfy { profile.builds[$0].build.recorder == .entryHooks }
    evidence.isUnwatched = isUnwatched(family.pieces)
    evidence.isMissingDestructor = isMissingDestructor(family)
    evidence.isWithoutDebugInformation = family.pieces.contains {
      isWithoutDebugInformation($0, family)
    }
    evidence.copies = use(of: family.pieces.filter(\.isCopied), in: index)
    let bodies = family.pieces.filter { Self.isBody($0.kind) }
    if !bodies.isEmpty, bodies.allSatisfy(\.isCopied) {
      evidence.body = .copies
    } else if !hasGuard || bodies.contains(where: Self.isUnguarded) {
      evidence.body = .unguarded
    }
    if bodies.contains(where: { build(of: $0)?.isOptimised == true }) {
      evidence.optimisedSize = bodies.compactMap { function($0)?.size }.max() ?? 0
    }
  }

  // MARK: Pieces

  func isInNewestBuild(_ family: FunctionFamily) -> Bool {
    family.pieces.contains { piece in piece.build.map { !facts[$0].isReplaced } ?? false }
  }

  /// Whether code of this kind is the function's own: it runs if and only if the function runs.
  static func isBody(_ kind: PieceKind?) -> Bool {
    switch kind {
    case nil, .accessor, .copy, .specialisation, .initialValue: true
    case .closure, .defaultArgument, .asyncPiece, .mergedBody, .thunk, .coldPart: false
    }
  }

  private static func isUnguarded(_ piece: FunctionReport.Piece) -> Bool {
    piece.code == .unguarded && !piece.isCompilerGenerated
  }

  /// Whether the known place belongs to the function itself, or represents it because debug information has no
  /// place for the function.
  func isPlacedByItself(
    _ family: FunctionFamily, _ head: FunctionReport.Piece
  ) -> Bool {
    if head.kind == nil || head.kind == .copy || head.kind == .specialisation { return true }
    let itself = family.pieces.filter { $0.kind == nil }
    return !itself.isEmpty && itself.allSatisfy(\.isCompilerGenerated)
  }

  // MARK: Recorders

  /// Whether some code of the function was never watched from a start of the program.
  func isWithoutStart(_ family: FunctionFamily) -> Bool {
    family.pieces.contains { piece in
      guard let build = piece.build, case .guarded(let index) = piece.code else { return false }
      return profile.builds[build].withoutStart.contains(index)
    }
  }

  /// Whether the recorder could not watch code when it attached to a running program.
  func isUnwatched(_ pieces: [FunctionReport.Piece]) -> Bool {
    pieces.contains { piece in
      guard let recorded = piece.build.map({ profile.builds[$0] }), !recorded.unwatched.isEmpty
      else { return false }
      return switch piece.code {
      case .guarded(let index): recorded.unwatched.contains(index)
      case .copies(let hosts, _): hosts.contains(where: recorded.unwatched.contains)
      case .unguarded, .counted, .dropped: false
      }
    }
  }

  // MARK: Other code

  /// Whether hosts of copies, or other code, were called or may have been. A host that is a cold part counts as
  /// called if the function that it was split off from was called. If no start was recorded, the program may have
  /// been inside a host when the recorder attached.
  ///
  /// - Parameters:
  ///   - pieces: copies, whose hosts may have run, and other code that may have run itself.
  ///   - family: the family whose own code does not count here, because its calls decided before; nil: no family.
  func use(
    of pieces: [FunctionReport.Piece], in family: Int? = nil
  ) -> FunctionEvidence.OtherCode? {
    var mayHaveRun = false
    for piece in pieces {
      guard let build = piece.build else { continue }
      let recorded = profile.builds[build]
      var hosts: [UInt32] = []
      switch piece.code {
      case .copies(let known, let unknownHost):
        hosts = known
        if unknownHost || hosts.contains(where: recorded.withoutStart.contains) {
          mayHaveRun = true
        }
      case .guarded(let index): hosts = [index]
      case .unguarded, .counted, .dropped: break
      }
      for host in hosts {
        guard let function = recorded.build.function(ofGuard: host) else {
          mayHaveRun = true
          continue
        }
        if let family, facts[build].families[function] == family { continue }
        if recorded.isCalled(function: function)
          || facts[build].coldPartsOfCalled.contains(function)
        {
          return .called
        }
      }
    }
    return mayHaveRun ? .mayHaveRun : nil
  }

  /// Whether calls of a C++ destructor may run that of its base class alone.
  ///
  /// Optimising, clang replaces a destructor with an empty body by that of the only base class that has one: the symbol
  /// becomes an alias, or calls go there (its CGCXX.cpp, `TryEmitBaseDestructorAsAlias`). What is left of the destructor
  /// is at most the form that `delete` calls.
  private func isMissingDestructor(_ family: FunctionFamily) -> Bool {
    guard !family.isSwift, family.root.containsUTF8("~") else { return false }
    var hasOwnCode: [Int: Bool] = [:]
    for piece in family.pieces {
      guard let build = piece.build,
        let form = FunctionIdentity.destructorForm(of: piece.name)
      else { continue }
      hasOwnCode[build] =
        hasOwnCode[build] ?? false || piece.isInBinary && form != .deleting
    }
    return hasOwnCode.contains { index, hasOwnCode in
      let build = profile.builds[index].build
      // That of a build with hooks does not say that it was optimised; one that was not has the code.
      return !hasOwnCode
        && (build.isOptimised || !build.hasDebugInfo || build.recorder == .entryHooks)
    }
  }

  /// Compilers other than Swift's describe all functions of a file or none. Swift's omits functions whose code
  /// it merged, so a missing description proves nothing there.
  private func isWithoutDebugInformation(
    _ piece: FunctionReport.Piece, _ family: FunctionFamily
  ) -> Bool {
    guard piece.isGuarded, let build = build(of: piece) else { return false }
    if !build.hasDebugInfo { return true }
    guard !family.isSwift, Self.isBody(piece.kind), let function = function(piece) else {
      return false
    }
    return function.file == nil && !function.isCompilerGenerated
  }
}
