/// Functions of optimised builds of which copies may have run that have no record.
///
/// Swift's optimiser copies functions into their callers, and then callers into bodies that several functions share
/// (`...Tm`). Such a body has no inline records, so a function of any size may have run in one. C compilers record
/// copies, but no instruction may be left of a small one, and they remove calls of functions without effect.
///
/// Comes last, because the other rules know more.
enum OptimisedCodeRule: VerdictRule {
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason? {
    // No compiler copies assembly.
    guard !isAssembly(report.file ?? "") else { return nil }
    let pieces = family.pieces.filter { $0.build >= 0 }
    if family.isSwift {
      return pieces.contains { classifier.profile.builds[$0.build].build.isOptimised }
        ? .mayBeCopied : nil
    }
    let bodies = pieces.filter { VerdictClassifier.isBody($0.kind) }
    guard bodies.contains(where: { classifier.profile.builds[$0.build].build.isOptimised }) else {
      return nil
    }
    let largest = bodies.lazy.compactMap { classifier.function($0)?.size }.max() ?? 0
    return largest < smallest ? .smallAndOptimised(size: largest) : nil
  }

  private static func isAssembly(_ file: String) -> Bool {
    [".s", ".S", ".sx", ".asm"].contains(where: file.hasSuffix)
  }

  /// Bytes of a C function that leaves records of its copies. No smaller one is known to leave them, and no larger
  /// one not to (Benchmarks/RESULTS.md).
  private static let smallest: UInt64 = 64
}
