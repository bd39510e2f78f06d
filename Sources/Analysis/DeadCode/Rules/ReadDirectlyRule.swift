import FirstlightModel

/// Global and static variables with bytes that the compiler has already set. Code reads them without a call of
/// their accessors, so an accessor that was not reached proves nothing.
///
/// Comes before `OptimisedCodeRule`, because debug builds read directly, too. Comes after `UnguardedCodeRule`, because code without a guard proves even less.
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

  /// Whether a piece shows that readers have to call an accessor.
  private static func isCalledByReaders(
    _ piece: FunctionReport.Piece, of classifier: VerdictClassifier
  ) -> Bool {
    // Without optimisation, only constants are read directly, and a variable with a setter is not constant.
    if SwiftVariable.isStaticSetter(piece.name) {
      return !classifier.profile.builds[piece.build].build.isOptimised
    }
    guard SwiftVariable.isOnceInitializer(piece.name) else { return false }
    let build = classifier.profile.builds[piece.build].build
    return (classifier.function(piece)?.size ?? 0) > emptySize(build)
  }

  /// The largest size, in bytes, of an initializer that does nothing: it consists of its guard's code and the
  /// return. On x86-64 that takes 18 bytes, or 28 if the hook is called only while a gate is open; on arm64
  /// 28, or 44 to 48.
  ///
  /// An initializer that stores the result of a call has at least 26 bytes on x86-64 and 40 on arm64. One that
  /// stays within the limit looks like an empty one, so its variable counts as read directly, too.
  private static func emptySize(_ build: Build) -> UInt64 {
    build.architecture == "aarch64" ? 48 : 32
  }
}
