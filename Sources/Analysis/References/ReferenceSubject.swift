import ReferenceIndex

/// A function whose references are looked for.
package struct ReferenceSubject: Sendable {
  /// The evidence of recorded runs.
  package enum Evidence: Hashable, Sendable {
    case called
    case neverCalled
    /// It may have run: nothing watched it.
    case unknown
  }

  package var join: FunctionJoin
  package var evidence: Evidence
  package var isTest: Bool
  /// Of its code.
  package var bytes: UInt64
  /// What reaches it without naming it in code that is compiled, as its declaration shows.
  package var reachedByName: ReachedByName?
  package var hiddenBranches: HiddenBranches

  package init(
    join: FunctionJoin, evidence: Evidence, isTest: Bool = false, bytes: UInt64 = 0,
    reachedByName: ReachedByName? = nil, hiddenBranches: HiddenBranches = .none
  ) {
    self.join = join
    self.evidence = evidence
    self.isTest = isTest
    self.bytes = bytes
    self.reachedByName = reachedByName
    self.hiddenBranches = hiddenBranches
  }
}

/// Code that this build did not compile, and that may refer to a function.
package enum HiddenBranches: Hashable, Sendable {
  case none
  /// A branch names it, or a file that was not compiled.
  case named(file: String, line: Int)
}
