import FirstlightModel

/// Evidence from the source: what a function is, and what the compiler counted of it.
extension EvidenceCollector {
  func isCompilerGenerated(_ family: FunctionFamily) -> Bool {
    // Copies of specialisations without a place do not show whether the compiler generated the function.
    let known = family.pieces.lazy.filter { !isOfUnknownPlace($0) }
    return known.first != nil && known.allSatisfy(\.isCompilerGenerated)
  }

  /// Whether debug information has no place for a copy, so that its origin is unknown.
  private func isOfUnknownPlace(_ piece: FunctionReport.Piece) -> Bool {
    guard piece.isCopied, !piece.isCompilerGenerated else { return false }
    return function(piece)?.file == nil
  }

  func addSource(
    of family: FunctionFamily, _ file: String?, to evidence: inout FunctionEvidence
  ) {
    evidence.language = Self.language(family, file)
    evidence.isInitialValueOfProperty = isInitialValueOfProperty(family)
    evidence.uncountedCode = file.flatMap { uncountedCode(family, $0) }
    guard family.isSwift else { return }
    evidence.isReadDirectly = isReadDirectly(family)
    evidence.isMergedAccessor = isMergedAccessor(family)
  }

  private static func language(
    _ family: FunctionFamily, _ file: String?
  ) -> FunctionEvidence.Language {
    if let file, [".s", ".S", ".sx", ".asm"].contains(where: { file.ends(with: $0) }) {
      return .assembly
    }
    return family.isSwift ? .swift : .other
  }

  // MARK: Counters

  /// Whether the function itself has a counter.
  static func isCounted(_ family: FunctionFamily) -> Bool {
    family.pieces.contains {
      // A plain initial value is no function.
      $0.isCounted
        && (isBody($0.kind) && $0.kind != .initialValue
          || SwiftSymbol($0.name)?.isClosureOfInitialValue == true)
    }
  }

  func counted(_ family: FunctionFamily) -> FunctionEvidence.Counted? {
    if Self.isCounted(family) { return .itself }
    if family.pieces.contains(where: \.isCounted) { return .pieces }
    guard family.isSwift, hasCounters else { return nil }
    let known = family.pieces.compactMap { piece in
      function(piece).flatMap { function in piece.build.map { (build: $0, function) } }
    }
    // A static constant's getter has no place beside that of the constant.
    let placed = known.compactMap { build, function in function.file.map { (build, file: $0) } }
    let isInCountedCode =
      placed.isEmpty
      ? !known.isEmpty && known.allSatisfy { facts[$0].countedModules.contains($1.module) }
      : placed.allSatisfy { facts[$0].countedFiles.contains($1) }
    return isInCountedCode ? .others : nil
  }

  /// Code of an inline function in a header that was compiled without counters: in objects without any, or by Swift,
  /// which compiles the functions of headers that it calls, but does not count them.
  private func uncountedCode(
    _ family: FunctionFamily, _ file: String
  ) -> FunctionEvidence.UncountedCode? {
    guard !family.isSwift, !BuildFacts.isCompiledByItself(file) else { return nil }
    let builds = Set(family.pieces.compactMap(\.build))
    let withSwift = builds.filter { !facts[$0].countedModules.isEmpty }
    let isUnseen =
      builds.contains { facts[$0].hasUncountedObjects }
      || withSwift.contains { profile.builds[$0].build.isOptimised }
    return isUnseen ? .unseen : withSwift.isEmpty ? nil : .guarded
  }

  // MARK: Variables

  /// Whether the family is the initial value of a stored property, which the compiler copies into each initializer.
  /// The value of a global or static variable has no copies.
  private func isInitialValueOfProperty(_ family: FunctionFamily) -> Bool {
    guard family.isSwift,
      let value = family.pieces.first(where: { SwiftSymbol($0.name)?.isOfInitialValue == true })
    else { return false }
    return ShortName(name: value.name, entity: family.root).text.containsUTF8(".")
  }

  /// Whether the family is a global or static variable whose bytes the compiler has already set. Code reads such a
  /// variable without a call of its accessors.
  private func isReadDirectly(_ family: FunctionFamily) -> Bool {
    let stored = Set(
      family.pieces.lazy.filter { SwiftSymbol($0.name)?.isAddressor == true }
        .compactMap(\.build))
    return !stored.subtracting(family.pieces.lazy.filter(isCalledByReaders).compactMap(\.build))
      .isEmpty
  }

  /// Whether a piece shows that readers have to call an accessor.
  private func isCalledByReaders(_ piece: FunctionReport.Piece) -> Bool {
    guard let build = build(of: piece) else { return false }
    // Without optimisation, only constants are read directly, and a variable with a setter is not constant.
    if SwiftSymbol(piece.name)?.isStaticSetter == true { return !build.isOptimised }
    guard SwiftSymbol(piece.name)?.isOnceInitializer == true else { return false }
    // The largest size of an initializer that does nothing: its guard's code and the return. On x86-64 that takes
    // 18 bytes, or 28 if the hook is called only while a gate is open; on arm64 28, or 44 to 48. One that stores the
    // result of a call has at least 26 bytes on x86-64 and 40 on arm64, so a short one looks like an empty one.
    return (function(piece)?.size ?? 0) > (build.architecture == "aarch64" ? 48 : 32)
  }

  /// Whether nothing but the names of a Swift variable's accessors is known.
  private func isMergedAccessor(_ family: FunctionFamily) -> Bool {
    let written = family.pieces.filter { !$0.isCompilerGenerated }
    return !written.isEmpty
      && written.allSatisfy { piece in
        guard piece.kind == .accessor, piece.isGuarded else { return false }
        return function(piece)?.file == nil && build(of: piece)?.hasDebugInfo == true
      }
  }
}
