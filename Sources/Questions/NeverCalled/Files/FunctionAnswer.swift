import FirstlightModel

/// The functions of a profile with a name.
package struct FunctionAnswer {
  package let profile: Profile
  package private(set) var report: DeadCodeReport
  package private(set) var functions: [FunctionReport]
  private let source: RecordedSource
  /// Whether an index was named.
  private let isIndexed: Bool
  /// The functions of the profile and of that of tests.
  private var joined: TestedReport?
  /// The references to the functions of `joined`, if an index was found.
  private var found: FunctionReferences?

  /// - Parameters:
  ///   - index: the path of an index; nil: the one beside the recorded binary, if there is one.
  ///   - symbol: a name as `dead` lists it, a linker name, part of a name, or a pattern.
  ///   - path: the path of the profile.
  ///   - tests: the profile of the program's tests.
  ///   - check: reads the declarations of what references allow to delete.
  /// - Throws: `Failure` if the project's rules cannot be read.
  package init(
    to symbol: String, in profile: Profile, at path: String, index: String?,
    tests: Profile? = nil, check: @escaping DeletionCheck
  ) throws(Failure) {
    self.profile = profile
    var request = NeverCalledRequest()
    try SourceTree(around: [path]).describe(profile, to: &request)
    isIndexed = index != nil
    var source = RecordedSource(index ?? "auto", of: profile, request.ownCode, check: check)
    report = DeadCodeReport(of: profile, for: request)
    if let tests {
      source = RecordedSource(index ?? "auto", of: tests, request.ownCode, check: check)
      var joined = try TestedReport(
        report, tests: DeadCodeReport(of: tests, for: request), for: request)
      if case .success(let references)? = source.foundReferences(to: joined.forReferences) {
        found = references
        joined.list(missing: references.isUnneeded)
      }
      (report, self.joined) = (joined.report, joined)
    }
    self.source = source
    functions = report.functions(named: symbol)
  }

  /// The references to the functions. Nil if there is no index and none was requested.
  ///
  /// - Throws: `Failure` if an index was given and cannot be used.
  package func references() throws(Failure) -> Result<FunctionReferences, Failure>? {
    if let found { return .success(found) }
    let report = joined?.forReferences ?? report
    if isIndexed { return .success(try source.references(to: report)) }
    return source.foundReferences(to: report)
  }
}
