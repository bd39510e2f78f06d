/// Why a function has its verdict: rules in the order of application, each with its reason.
enum VerdictRules {
  /// The same evidence always gives the same reason: nothing else is asked.
  ///
  /// - Parameter threshold: the share of the runs that have to call a function, if the user wishes one.
  static func reason(
    _ evidence: FunctionEvidence, below threshold: Double? = nil
  ) -> VerdictReason {
    let reason = decided(evidence, threshold)
    guard reason.verdict == .neverCalled else { return reason }
    // What the start before a window called is unknown, and any estimate of it would be a guess.
    if evidence.isWithoutStart {
      return .notCalledWhileWatched(windows: evidence.watchedRuns, seconds: evidence.windowSeconds)
    }
    // Users know of calls that no record shows.
    return evidence.isKept ? .kept : reason
  }

  /// The first rule that applies decides.
  private static func decided(
    _ evidence: FunctionEvidence, _ threshold: Double?
  ) -> VerdictReason {
    // What the compiler generated cannot be deleted in the source, called or not.
    if evidence.isCompilerGenerated { return .compilerGenerated }
    if evidence.isImplicitMember { return .implicitMember }
    // A call is evidence, whatever is unknown.
    if evidence.calledRuns > 0 { return called(evidence, threshold) }
    // There is nothing left to delete.
    if !evidence.isInNewestBuild { return .notInNewestBuild }
    // Tests are linked with the program, but do not start it.
    if evidence.isMainOfTestedProgram { return .mainOfTestedProgram }
    // Compilers set counters before they inline, so a counter decides without the rules below.
    if evidence.counted == .itself { return counted(evidence) }
    // The source has no body of the function: a stored property's accessor, or a synthesized member.
    if evidence.counted == .others { return .compilerGenerated }
    // Initializers have copies of the value, which no record shows, not even in debug builds. Where pieces are counted,
    // the value would be, too, if it were a function.
    if evidence.isInitialValueOfProperty {
      return evidence.counted == .pieces ? .compilerGenerated : .copiedInitialValue
    }
    return otherCode(evidence) ?? guarded(evidence) ?? optimised(evidence) ?? .watched
  }

  private static func called(
    _ evidence: FunctionEvidence, _ threshold: Double?
  ) -> VerdictReason {
    guard let threshold, evidence.runShare < threshold else {
      return .called(runs: evidence.calledRuns)
    }
    return .below(share: evidence.runShare, threshold: threshold)
  }

  /// A function that a counter shows as never called.
  private static func counted(_ evidence: FunctionEvidence) -> VerdictReason {
    // Calls that the compiler worked out ran nowhere.
    if evidence.attribute == .evaluated { return .evaluatedByCompiler }
    // Such code may be linked in place of the counted one, or be inlined, and then it has no record.
    switch evidence.uncountedCode {
    case .unseen: return .uncountedCode
    case .guarded where evidence.attribute == .mandatory: return .uncountedCode
    case .guarded, nil: break
    }
    // Compilers count destructors that they replace.
    if evidence.isMissingDestructor { return .replacedDestructor }
    return .counted(runs: evidence.watchedRuns, isInBinary: evidence.isInBinary)
  }

  /// Copies, and other names of the same code, may have run even if the function's own code was not reached.
  private static func otherCode(_ evidence: FunctionEvidence) -> VerdictReason? {
    switch evidence.copies ?? evidence.sharedCode {
    case .called: return .copyInCalledFunction
    case .mayHaveRun: return .copyMayHaveRun
    case .unwatched: return .unwatched
    case nil: return evidence.body == .copies ? .copiesOnly : nil
    }
  }

  /// Whether the guard, which no run reached, would show a call of the function.
  private static func guarded(_ evidence: FunctionEvidence) -> VerdictReason? {
    // An unreached guard is evidence. Without one, there is none.
    if evidence.body == .unguarded { return .unguardedCode }
    // It ran before the recorder attached.
    if evidence.isMain, evidence.isWithoutStart { return .unwatched }
    if evidence.isUnwatched { return .unwatched }
    // Calls go to the base class's destructor.
    if evidence.isMissingDestructor { return .replacedDestructor }
    // Debug builds, too, read such variables without a call.
    if evidence.isReadDirectly { return .readDirectly }
    // It may belong to a stored variable, whose readers need no accessor.
    if evidence.isMergedAccessor { return .mergedAccessor }
    return nil
  }

  /// Whether the compiler may have made copies that have no record, or removed calls.
  private static func optimised(_ evidence: FunctionEvidence) -> VerdictReason? {
    // An attribute is better evidence than optimisation.
    switch evidence.attribute {
    // Copies call entry hooks, too.
    case .mandatory where !evidence.isHooked: return .alwaysInlined
    // gcc works such calls out, so that no hook sees them; debug information shows clang's copies.
    case .evaluated where evidence.isHooked: return .evaluatedByCompiler
    case .whenOptimised where evidence.isOptimised: return .inlinedWhenOptimised
    // Compilers remove calls of functions without effect, even of functions that they never copy.
    case .never: return small(evidence) ?? .neverInlined
    case .mandatory, .evaluated, .whenOptimised, nil: break
    }
    // Nothing else shows whether code was optimised.
    if evidence.isWithoutDebugInformation { return .noDebugInformation }
    switch evidence.language {
    // No compiler copies it.
    case .assembly: return nil
    // Swift's optimiser copies functions into their callers, and then callers into bodies that several functions share
    // (`...Tm`). Such a body has no inline records, so a function of any size may have run in one.
    case .swift: return evidence.isOptimised ? .mayBeCopied : nil
    case .other: return small(evidence)
    }
  }

  /// C compilers record copies, but no instruction may be left of a small one, and they remove calls of functions
  /// without effect.
  private static func small(_ evidence: FunctionEvidence) -> VerdictReason? {
    guard let size = evidence.optimisedSize, size < smallestRecorded else { return nil }
    return .smallAndOptimised(size: size)
  }

  /// The size in bytes from which a C function is taken to leave records of its copies.
  private static var smallestRecorded: UInt64 { 64 }
}
