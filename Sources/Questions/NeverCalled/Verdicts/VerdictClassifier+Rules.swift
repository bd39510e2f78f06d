import FirstlightModel

/// The rules in the order of application: the first one that applies decides.
extension VerdictClassifier {
  /// - Parameter report: the function's counts, still without a verdict.
  func reason(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport
  ) -> VerdictReason {
    let reason = decided(index, family, report)
    guard reason.verdict == .neverCalled, isWithoutStart(family) else { return reason }
    return .notCalledWhileWatched(
      windows: report.watchedRuns,
      seconds: report.watchedRuns == windows.count ? windows.seconds : nil)
  }

  private func decided(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport
  ) -> VerdictReason {
    // A compiler-generated function cannot be deleted in the source, called or not.
    if isCompilerGenerated(family) { return .compilerGenerated }
    // A call is evidence, whatever is unknown.
    if report.calledRuns > 0 {
      guard let below = request.below, report.runShare < below else {
        return .called(runs: report.calledRuns)
      }
      return .below(share: report.runShare, threshold: below)
    }
    if isOnlyInOldBuilds(family) { return .notInNewestBuild }
    if report.isMainOfTestedProgram { return .mainOfTestedProgram }
    // Compilers set counters before they inline, so a counter decides without the rules below. Runs of builds
    // without counters only add calls: calls of a copy would have no record.
    if Self.isCounted(family) {
      if request.inlining(report) == .evaluated { return .evaluatedByCompiler }
      if mayHaveUncountedCode(family, report) { return .uncountedCode }
      if mayRunAsBaseDestructor(family) { return .replacedDestructor }
      let isInBinary = family.pieces.contains {
        switch $0.place {
        case .guarded, .unguarded, .inlined: true
        case .counted, .dropped: false
        }
      }
      return .counted(runs: report.watchedRuns, isInBinary: isInBinary)
    }
    // The source has no body of the function: a stored property's accessor, or an implicit initializer.
    if isUncountedInCountedCode(family) { return .compilerGenerated }
    // No record shows these copies, not even in debug builds. With a counter that is 0, the value is still no function.
    if isInitialValueOfProperty(family) {
      return family.pieces.contains(where: \.isCounted) ? .compilerGenerated : .copiedInitialValue
    }
    // Copies, and other names of the same code, may have run even if the function's own code was not reached.
    let copies = family.pieces.filter(Self.isCopy)
    if let reason = copyReason(copies, of: index) ?? shared[index] { return reason }
    let bodies = family.pieces.filter { Self.isBody($0.kind) }
    if !bodies.isEmpty, bodies.allSatisfy(Self.isCopy) { return .copiesOnly }
    // The rules below need a guard: an unreached one is evidence.
    if report.head == nil || bodies.contains(where: Self.isUnguarded) { return .unguardedCode }
    if family.root == "main", isWithoutStart(family) { return .unwatched }
    if isUnwatched(family.pieces) { return .unwatched }
    if mayRunAsBaseDestructor(family) { return .replacedDestructor }
    // Debug builds also read variables directly.
    if family.isSwift, isReadDirectly(family) { return .readDirectly }
    if isMergedAccessor(family) { return .mergedAccessor }
    // An attribute is better evidence than optimisation.
    if let reason = attributeReason(family, report) { return reason }
    // Without debug information, nothing shows whether code was optimised.
    if family.pieces.contains(where: { isWithoutDebugInformation($0, family) }) {
      return .noDebugInformation
    }
    return optimisationReason(family, report) ?? .watched
  }

  // MARK: The function

  private func isCompilerGenerated(_ family: FunctionFamily) -> Bool {
    // Copies of specialisations without a place do not show whether the compiler generated the function.
    let known = family.pieces.lazy.filter { !isOfUnknownPlace($0) }
    return known.first != nil && known.allSatisfy(\.isCompilerGenerated)
  }

  /// Whether the function is only in older builds, or in the linker's list of dropped code.
  private func isOnlyInOldBuilds(_ family: FunctionFamily) -> Bool {
    family.pieces.allSatisfy { piece in
      guard piece.build >= 0 else { return true }
      guard let newest = newest[imageNames[piece.build]] else { return false }
      return rank[newest] > rank[piece.build]
    }
  }

  /// Whether the function itself has a counter. A closure's counter does not show whether the function around it
  /// ran: builds without assertions do not evaluate their closures. A plain initial value is no function.
  static func isCounted(_ family: FunctionFamily) -> Bool {
    family.pieces.contains {
      $0.isCounted
        && (isBody($0.kind) && $0.kind != .initialValue
          || SwiftVariable.isClosureOfInitialValue($0.name))
    }
  }

  /// Whether code without counters may also be of the function, as of an inline function in a header. It may be linked
  /// instead of the counted code, or be inlined without a record: objects that were compiled without counters have
  /// such code, and so has Swift, which compiles the functions of headers that it calls, but does not count them.
  private func mayHaveUncountedCode(
    _ family: FunctionFamily, _ report: FunctionReport
  ) -> Bool {
    guard !family.isSwift, let file = report.file, !Self.isCompiledByItself(file) else {
      return false
    }
    // Swift's own code has a guard, which shows calls unless they are inlined.
    let isInlined = request.inlining(report) == .mandatory
    return family.pieces.contains { piece in
      guard piece.build >= 0 else { return false }
      return hasUncountedObjects[piece.build]
        || !countedModules[piece.build].isEmpty
          && (isInlined || profile.builds[piece.build].build.isOptimised)
    }
  }

  /// Whether a source file is no header.
  static func isCompiledByItself(_ file: String) -> Bool {
    guard let dot = file.lastIndex(ofUTF8: ".") else { return false }
    return ["c", "cc", "cpp", "cxx", "C", "m", "mm", "swift", "rs"].contains(
      file[file.utf8.index(after: dot)...])
  }

  /// Whether the compiler counted functions of the Swift file, but not this one. Of a function without a file, such
  /// as `$main()` and the members of synthesized coding keys, the module decides.
  private func isUncountedInCountedCode(_ family: FunctionFamily) -> Bool {
    guard family.isSwift, !family.pieces.contains(where: \.isCounted) else { return false }
    let known = family.pieces.compactMap { piece in
      piece.build < 0 ? nil : function(piece).map { (piece.build, $0) }
    }
    // A static constant's getter has no place beside that of the constant.
    let placed = known.filter { $1.file != nil }
    guard placed.isEmpty else {
      return placed.allSatisfy { build, function in countedFiles[build].contains(function.file!) }
    }
    return !known.isEmpty
      && known.allSatisfy { build, function in countedModules[build].contains(function.module) }
  }

  /// Whether the family is the initial value of a stored property, which the compiler copies into each initializer.
  /// The value of a global or static variable has no copies.
  private func isInitialValueOfProperty(_ family: FunctionFamily) -> Bool {
    guard family.isSwift, let value = family.pieces.first(where: { $0.name.containsUTF8("vpfi") })
    else { return false }
    return FunctionIdentity(name: value.name, entity: family.root).shortName.containsUTF8(".")
  }

  // MARK: Its pieces

  private static func isCopy(_ piece: FunctionReport.Piece) -> Bool {
    if case .inlined = piece.place { true } else { false }
  }

  private static func isUnguarded(_ piece: FunctionReport.Piece) -> Bool {
    guard case .unguarded = piece.place else { return false }
    return !piece.isCompilerGenerated
  }

  /// Whether nothing but the names of a Swift variable's accessors is known.
  private func isMergedAccessor(_ family: FunctionFamily) -> Bool {
    guard family.isSwift else { return false }
    let written = family.pieces.filter { !$0.isCompilerGenerated }
    return !written.isEmpty
      && written.allSatisfy { piece in
        guard piece.kind == .accessor, case .guarded = piece.place else { return false }
        return function(piece)?.file == nil && profile.builds[piece.build].build.hasDebugInfo
      }
  }

  /// Compilers other than Swift's describe all functions of a file or none. Swift's omits functions whose code
  /// it merged, so a missing description proves nothing there.
  private func isWithoutDebugInformation(
    _ piece: FunctionReport.Piece, _ family: FunctionFamily
  ) -> Bool {
    guard case .guarded(let index) = piece.place else { return false }
    let build = profile.builds[piece.build].build
    if !build.hasDebugInfo { return true }
    guard !family.isSwift, Self.isBody(piece.kind) else { return false }
    let function = build.functions[index]
    return function.file == nil && !function.isCompilerGenerated
  }
}
