import ReferenceIndex

/// Groups of functions with similar references, in the order of a list: removable functions first,
/// then by distance from that.
package enum ReferenceGroup: Int, CaseIterable, Hashable, Sendable {
  case deletable
  /// Compiled code has no reference, but another place in the project names the function.
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

/// A function whose references are to be classified.
package struct ReferenceSubject: Sendable {
  /// The evidence of recorded runs.
  package enum Evidence: Hashable, Sendable {
    case called
    case neverCalled
    /// The function may have run: it was not recorded.
    case unknown
  }

  package var join: FunctionJoin
  package var evidence: Evidence
  package var isTest: Bool = false
  /// Size of the code.
  package var bytes: UInt64 = 0
  /// The way to reach the function without a name in compiled code, according to its declaration.
  package var reachedByName: ReachedByName? = nil
  /// A place that names the function, for which no known reference accounts.
  package var named: ProjectWords.Place? = nil
}

/// The way to reach a function to which no compiled code refers.
package enum ReachedByName: Hashable, Sendable {
  /// `main`, or the `main()` of a type marked `@main`.
  case entryPoint
  /// An attribute exposes the function to code that the compiler does not see: `@_cdecl`, `@objc`.
  case attribute(String)
  /// The loader calls the function, or the linker keeps it: `constructor`, `used`.
  case linker(String)
  /// The binary exports the function: other binaries and `dlsym` can reach it.
  case exported
  /// The language reserves the name: who defines it implements what a compiler, a linker or a library calls.
  case reserved
  /// A language feature calls the function without its name: `buildBlock`, `subscript(dynamicMember:)`.
  case languageFeature(String)
  /// The function runs when an instance is released.
  case deinitializer
  /// A test library finds the function.
  case test
}
