import FirstlightModel

/// Functions with a counter, which compilers set before they inline: no run counted them, so none called them.
///
/// Comes before all rules about copies, guards and declarations, because it knows what they ask. `CalledRule` counts
/// the counters' calls. Runs of builds without counters only add calls: those of a copy would have no record.
enum CountedRule: VerdictRule {
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason? {
    guard isCounted(family) else { return nil }
    let isInBinary = family.pieces.contains {
      switch $0.place {
      case .guarded, .unguarded, .inlined: true
      case .counted, .dropped: false
      }
    }
    return .counted(runs: report.watchedRuns, isInBinary: isInBinary)
  }

  /// Whether the function itself has a counter. A closure's says nothing of the function around it: builds
  /// without assertions do not evaluate theirs. A plain initial value is no function.
  static func isCounted(_ family: FunctionFamily) -> Bool {
    family.pieces.contains {
      $0.isCounted
        && (VerdictClassifier.isBody($0.kind) && $0.kind != .initialValue
          || SwiftVariable.isClosureOfInitialValue($0.name))
    }
  }
}

extension Function {
  /// A counted function as the source has it.
  init(_ counted: CountedFunction) {
    self.init(
      address: nil, size: 0, name: counted.name, demangledName: counted.demangledName,
      module: counted.module, file: counted.file, line: counted.line, isCompilerGenerated: false,
      isLocal: false)
  }
}
