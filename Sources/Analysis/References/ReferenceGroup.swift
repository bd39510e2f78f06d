import ReferenceIndex

/// Functions of which references say alike, in the order in which a list shows them: first those that
/// can be deleted, then by how near they are to it.
package enum ReferenceGroup: Int, CaseIterable, Hashable, Sendable {
  case deletable
  /// Nothing that was built refers to them, but code that the build left out names them.
  case named
  case onlyTests
  case onlyNeverCalled
  case answers
  case publicInterface
  case reachedByName
  case local
  case liveCode
  case unknown

  package init(_ report: ReferenceReport) {
    self =
      switch report.reason {
      case .unreferenced, .fallsWith: report.isDeletable ? .deletable : .named
      case .onlyTests: .onlyTests
      case .onlyNeverCalled: .onlyNeverCalled
      case .answers: .answers
      case .publicInterface: .publicInterface
      case .reachedByName: .reachedByName
      case .local: .local
      case .liveCode: .liveCode
      case .unknown: .unknown
      }
  }
}

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
  package var isTest: Bool = false
  /// Of its code.
  package var bytes: UInt64 = 0
  /// What reaches it without naming it in code that is compiled, as its declaration shows.
  package var reachedByName: ReachedByName? = nil
  package var hiddenBranches: HiddenBranches = .none
}

/// Code that this build did not compile, and that may refer to a function.
package enum HiddenBranches: Hashable, Sendable {
  case none
  /// A branch names it, or a file that was not compiled.
  case named(file: String, line: Int)
}

/// How a function is reached though no code of the build refers to it.
package enum ReachedByName: Hashable, Sendable {
  /// `main`, or the `main()` of a type marked `@main`.
  case entryPoint
  /// An attribute gives it to code that the compiler does not see: `@_cdecl`, `@objc`.
  case attribute(String)
  /// The loader calls it, or the linker keeps it: `constructor`, `used`.
  case linker(String)
  /// The binary exports it: other binaries and `dlsym` can reach it.
  case exported
  /// Source gives its name to `dlsym`.
  case lookedUp(file: String, line: Int)
  /// A feature of the language calls it, without naming it: `buildBlock`, `subscript(dynamicMember:)`.
  case languageFeature(String)
  /// It runs when an instance goes.
  case deinitializer
  /// A test library finds it.
  case test
}
