import DeadCode
import FirstlightModel
import References

/// The functions of a profile with a name.
package struct FunctionAnswer {
  package let profile: Profile
  package private(set) var report: DeadCodeReport
  package private(set) var functions: [FunctionReport]
  private let ownCode: OwnCode?
  /// The profile of tests, and the functions of both.
  private var tests: (profile: Profile, joined: TestedReport)?

  /// - Parameters:
  ///   - symbol: a name as `dead` lists it, a linker name, part of a name, or a pattern.
  ///   - path: the path of the profile.
  ///   - tests: the profile of the program's tests.
  /// - Throws: `Failure` if the project's rules cannot be read.
  package init(
    to symbol: String, in profile: Profile, at path: String, tests: Profile? = nil
  ) throws(Failure) {
    self.profile = profile
    var request = NeverCalledRequest()
    try SourceTree(around: [path]).describe(profile, to: &request)
    ownCode = request.ownCode
    report = DeadCodeReport(of: profile, for: request)
    if let tests {
      var joined = try TestedReport(
        report, tests: DeadCodeReport(of: tests, for: request), for: request)
      if case .success(let references)? = RecordedSource("auto", of: tests, ownCode)
        .foundReferences(to: joined.forReferences)
      {
        joined.list(missing: references.isUnneeded)
      }
      (report, self.tests) = (joined.report, (tests, joined))
    }
    functions = report.functions(named: symbol)
  }

  /// What refers to the functions. Nil if there is no index and none was requested.
  ///
  /// - Parameter index: the path of the index; nil: the one beside the recorded binary, if there is one.
  /// - Throws: `Failure` if the given index cannot be used.
  package func references(
    index: String?
  ) throws(Failure) -> Result<FunctionReferences, Failure>? {
    let source = RecordedSource(index ?? "auto", of: tests?.profile ?? profile, ownCode)
    let report = tests?.joined.forReferences ?? report
    if index != nil { return .success(try source.references(to: report)) }
    return source.foundReferences(to: report)
  }
}
