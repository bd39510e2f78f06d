/// Small functions of optimised builds. An optimiser can copy them into callers and leave no record, since no
/// instruction of its own may remain of a function that only passes or combines values.
///
/// Comes last, because it looks at the size alone. The limits are well above the sizes of functions that left
/// no record in tests (Benchmarks/RESULTS.md). C files are compiled one by one, and C compilers leave a record
/// of all but the smallest functions. With inlining off, they still remove calls of functions without effect.
enum SmallAndOptimisedRule: VerdictRule {
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason? {
    // No compiler copies assembly.
    guard !isAssembly(report.file ?? "") else { return nil }
    let pieces = family.pieces.filter { $0.build >= 0 }
    let itself = pieces.filter { VerdictClassifier.isBody($0.kind) }
    // Closures and default arguments may outlast the code of their function.
    let bodies = itself.isEmpty ? pieces : itself
    guard bodies.contains(where: { classifier.profile.builds[$0.build].build.isOptimised }) else {
      return nil
    }
    let largest = bodies.lazy.compactMap { classifier.function($0)?.size }.max() ?? 0
    let limit = limit(family)
    return largest < limit ? .smallAndOptimised(size: largest, limit: limit) : nil
  }

  private static func isAssembly(_ file: String) -> Bool {
    [".s", ".S", ".sx", ".asm"].contains(where: file.hasSuffix)
  }

  /// Bytes.
  private static func limit(_ family: FunctionFamily) -> UInt64 {
    guard family.isSwift else { return 64 }
    return SwiftEntityName.isGeneric(family.root) ? 1024 : 256
  }
}
