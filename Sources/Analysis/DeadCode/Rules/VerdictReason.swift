/// Which rule decided a verdict, with the figures it went by.
package enum VerdictReason: Hashable, Sendable {
  /// All its code was made by the compiler, or by a macro.
  case compilerGenerated
  /// Its declaration's line declares no initializer or deinitializer.
  case implicitMember
  case called(runs: Int)
  /// Called by a smaller share of the runs than was asked for.
  case below(share: Double, threshold: Double)
  /// In no newest build of an image.
  case notInNewestBuild
  /// Copies of it lie in functions that were called, or that cannot be watched.
  case copyMayHaveRun
  /// It has no code but copies in other functions.
  case copiesOnly
  /// Code of its own has no guard.
  case unguardedCode
  /// A constant whose bytes the compiler has set: no reader needs its accessors.
  case readDirectly
  /// `@inline(__always)`, `@_transparent` and the like.
  case alwaysInlined
  /// An attribute asks optimised builds to copy it, and one was watched.
  case inlinedWhenOptimised
  /// `@inline(never)` and the like: no copies, and its guard was not reached.
  case neverInlined
  /// No debug information describes its code, so that copies cannot be seen.
  case noDebugInformation
  /// Optimised code this small may have been copied without a record. Bytes.
  case smallAndOptimised(size: UInt64, limit: UInt64)
  /// Its guard was watched, and no run reached it.
  case watched
  /// A comment or a rule keeps it.
  case kept

  /// The verdict that the reason leads to.
  package var verdict: Verdict {
    switch self {
    case .compilerGenerated, .implicitMember: .compilerGenerated
    case .called: .called
    case .below: .belowThreshold
    case .notInNewestBuild: .dropped
    case .copyMayHaveRun, .copiesOnly, .readDirectly, .alwaysInlined, .inlinedWhenOptimised,
      .noDebugInformation,
      .smallAndOptimised:
      .inlined
    case .unguardedCode: .notInstrumented
    case .neverInlined, .watched: .neverCalled
    case .kept: .kept
    }
  }
}
