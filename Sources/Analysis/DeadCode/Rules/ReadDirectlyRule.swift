import FirstlightModel

/// Global and static variables whose bytes the compiler has already set: code reads them without a
/// call of their accessors, so that accessors that were not reached say nothing.
///
/// Before `SmallAndOptimisedRule`, which goes by size alone: this happens in debug builds, too.
/// After `UnguardedCodeRule`: code that cannot be watched says even less.
enum ReadDirectlyRule: VerdictRule {
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason? {
    guard family.isSwift else { return nil }
    var stored: Set<Int> = []
    for piece in family.pieces where piece.build >= 0 && SwiftVariable.isAddressor(piece.name) {
      stored.insert(piece.build)
    }
    guard !stored.isEmpty else { return nil }
    for piece in family.pieces where stored.contains(piece.build) {
      if isCalledByReaders(piece, of: classifier) { stored.remove(piece.build) }
    }
    return stored.isEmpty ? nil : .readDirectly
  }

  /// Whether a piece shows that reading the variable takes a call.
  private static func isCalledByReaders(
    _ piece: FunctionReport.Piece, of classifier: VerdictClassifier
  ) -> Bool {
    // Without optimisation, only constants are read directly, and what can be set is none.
    if SwiftVariable.isStaticSetter(piece.name) {
      return !classifier.profile.builds[piece.build].build.isOptimised
    }
    guard SwiftVariable.isOnceInitializer(piece.name) else { return false }
    let build = classifier.profile.builds[piece.build].build
    return (classifier.function(piece)?.size ?? 0) > emptySize(build)
  }

  /// Most bytes of an initializer that has nothing left to do: its guard's code and the return. On x86-64
  /// it has 18, or 28 with a gated guard; on arm64 28, or 44 to 48.
  ///
  /// One that stores the result of a call has 26 and 40 at least. Up to the limit it looks like an empty one,
  /// and its variable counts as read directly, too.
  private static func emptySize(_ build: Build) -> UInt64 {
    build.architecture == "aarch64" ? 48 : 32
  }
}
