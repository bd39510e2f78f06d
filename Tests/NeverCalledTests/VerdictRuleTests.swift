import Testing

@testable import NeverCalled

/// The rules alone: a row is a piece of evidence beside the defaults, and its reason.
@Suite struct VerdictRuleTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var reason: VerdictReason
    var change: @Sendable (inout FunctionEvidence) -> Void

    init(_ reason: VerdictReason, _ change: @escaping @Sendable (inout FunctionEvidence) -> Void) {
      (self.reason, self.change) = (reason, change)
    }

    var evidence: FunctionEvidence {
      var evidence = FunctionEvidence(watchedRuns: 4)
      change(&evidence)
      return evidence
    }

    var testDescription: String { "\(reason): \(evidence)" }
  }

  private static let rows: [Row] = [
    Row(.watched) { _ in },
    Row(.watched) { $0.isOptimised = true },
    // The source.
    Row(.compilerGenerated) { $0.isCompilerGenerated = true },
    Row(.compilerGenerated) { ($0.isCompilerGenerated, $0.calledRuns) = (true, 1) },
    Row(.implicitMember) { ($0.isImplicitMember, $0.calledRuns) = (true, 1) },
    Row(.notInNewestBuild) { $0.isInNewestBuild = false },
    Row(.notInNewestBuild) { ($0.isInNewestBuild, $0.counted) = (false, .itself) },
    Row(.mainOfTestedProgram) { $0.isMainOfTestedProgram = true },
    Row(.kept) { $0.isKept = true },
    Row(.kept) { ($0.isKept, $0.counted) = (true, .itself) },
    // Counters.
    Row(.counted(runs: 4, isInBinary: true)) { ($0.counted, $0.copies) = (.itself, .called) },
    Row(.counted(runs: 4, isInBinary: false)) { ($0.counted, $0.isInBinary) = (.itself, false) },
    Row(.evaluatedByCompiler) { ($0.counted, $0.attribute) = (.itself, .evaluated) },
    Row(.uncountedCode) { ($0.counted, $0.uncountedCode) = (.itself, .unseen) },
    Row(.counted(runs: 4, isInBinary: true)) {
      ($0.counted, $0.uncountedCode) = (.itself, .guarded)
    },
    Row(.uncountedCode) {
      ($0.counted, $0.uncountedCode, $0.attribute) = (.itself, .guarded, .mandatory)
    },
    Row(.replacedDestructor) { ($0.counted, $0.isMissingDestructor) = (.itself, true) },
    Row(.compilerGenerated) { ($0.counted, $0.body) = (.others, .unguarded) },
    Row(.copiedInitialValue) { $0.isInitialValueOfProperty = true },
    Row(.compilerGenerated) { ($0.isInitialValueOfProperty, $0.counted) = (true, .pieces) },
    Row(.watched) { $0.counted = .pieces },
    // Other code.
    Row(.copyInCalledFunction) { $0.copies = .called },
    Row(.copyInCalledFunction) { ($0.copies, $0.body) = (.called, .copies) },
    Row(.copyMayHaveRun) { ($0.copies, $0.sharedCode) = (.mayHaveRun, .called) },
    Row(.copyInCalledFunction) { $0.sharedCode = .called },
    Row(.unwatched) { $0.sharedCode = .unwatched },
    Row(.copiesOnly) { $0.body = .copies },
    // The guard.
    Row(.unguardedCode) { $0.body = .unguarded },
    Row(.unguardedCode) { ($0.body, $0.isUnwatched) = (.unguarded, true) },
    Row(.unwatched) { $0.isUnwatched = true },
    Row(.unwatched) { ($0.isMain, $0.isWithoutStart) = (true, true) },
    Row(.watched) { $0.isMain = true },
    Row(.replacedDestructor) { $0.isMissingDestructor = true },
    Row(.readDirectly) { $0.isReadDirectly = true },
    Row(.mergedAccessor) { ($0.isMergedAccessor, $0.attribute) = (true, .never) },
    // Attributes.
    Row(.alwaysInlined) { $0.attribute = .mandatory },
    Row(.watched) { ($0.attribute, $0.isHooked) = (.mandatory, true) },
    Row(.watched) { $0.attribute = .evaluated },
    Row(.evaluatedByCompiler) { ($0.attribute, $0.isHooked) = (.evaluated, true) },
    Row(.watched) { $0.attribute = .whenOptimised },
    Row(.inlinedWhenOptimised) { ($0.attribute, $0.isOptimised) = (.whenOptimised, true) },
    Row(.neverInlined) { ($0.attribute, $0.isWithoutDebugInformation) = (.never, true) },
    Row(.neverInlined) { ($0.attribute, $0.optimisedSize) = (.never, 64) },
    Row(.smallAndOptimised(size: 10)) { ($0.attribute, $0.optimisedSize) = (.never, 10) },
    // The optimiser.
    Row(.noDebugInformation) { ($0.isWithoutDebugInformation, $0.optimisedSize) = (true, 10) },
    Row(.smallAndOptimised(size: 63)) { $0.optimisedSize = 63 },
    Row(.watched) { $0.optimisedSize = 64 },
    Row(.mayBeCopied) {
      ($0.language, $0.isOptimised, $0.optimisedSize) = (.swift, true, 4000)
    },
    Row(.watched) { $0.language = .swift },
    Row(.watched) { ($0.language, $0.optimisedSize) = (.assembly, 10) },
    // Windows.
    Row(.notCalledWhileWatched(windows: 4, seconds: nil)) {
      ($0.isWithoutStart, $0.isKept) = (true, true)
    },
    Row(.notCalledWhileWatched(windows: 4, seconds: 9)) {
      ($0.isWithoutStart, $0.windowSeconds, $0.counted) = (true, 9, .itself)
    },
    Row(.smallAndOptimised(size: 10)) { ($0.isWithoutStart, $0.optimisedSize) = (true, 10) },
  ]

  @Test(arguments: rows) func firstRuleThatAppliesDecides(_ row: Row) {
    #expect(VerdictRules.reason(row.evidence) == row.reason)
  }

  /// Whatever is unknown.
  @Test(arguments: rows) func callsAreEvidence(_ row: Row) {
    var evidence = row.evidence
    (evidence.isCompilerGenerated, evidence.isImplicitMember) = (false, false)
    evidence.calledRuns = 1
    #expect(VerdictRules.reason(evidence) == .called(runs: 1))
    #expect(VerdictRules.reason(evidence, below: 0.25) == .called(runs: 1))
    #expect(
      VerdictRules.reason(evidence, below: 0.3) == .below(share: 0.25, threshold: 0.3))
  }

  /// A function is never called only if a counter says so, or a guard that would have been reached.
  @Test func nothingUnseenIsNeverCalled() {
    for row in Self.rows {
      for other in Self.rows {
        var evidence = row.evidence
        other.change(&evidence)
        guard VerdictRules.reason(evidence).verdict == .neverCalled else { continue }
        #expect(evidence.calledRuns == 0 && !evidence.isWithoutStart && !evidence.isKept)
        #expect(!evidence.isCompilerGenerated && evidence.isInNewestBuild)
        if evidence.counted == .itself { continue }
        #expect(evidence.body == .guarded && !evidence.isUnwatched)
        #expect(evidence.copies == nil && evidence.sharedCode == nil)
        #expect(
          evidence.language != .swift || !evidence.isOptimised || evidence.attribute == .never)
      }
    }
  }

  @Test func eachReasonHasOneVerdict() {
    #expect(VerdictReason.smallAndOptimised(size: 1).verdict == .inlined)
    #expect(VerdictReason.readDirectly.verdict == .inlined)
    #expect(VerdictReason.noDebugInformation.verdict == .inlined)
    #expect(VerdictReason.mayBeCopied.verdict == .inlined)
    #expect(VerdictReason.copiedInitialValue.verdict == .inlined)
    #expect(VerdictReason.evaluatedByCompiler.verdict == .inlined)
    #expect(VerdictReason.implicitMember.verdict == .compilerGenerated)
    #expect(VerdictReason.mainOfTestedProgram.verdict == .compilerGenerated)
    #expect(VerdictReason.neverInlined.verdict == .neverCalled)
  }
}
