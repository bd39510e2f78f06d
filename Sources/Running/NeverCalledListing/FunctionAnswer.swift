import DeadCode
import FirstlightModel
import References

/// The functions of a profile with a name.
package struct FunctionAnswer {
  package let profile: Profile
  package let report: DeadCodeReport
  package let functions: [FunctionReport]
  private let source: RecordedSource
  /// Whether an index was named.
  private let isIndexed: Bool

  /// - Parameters:
  ///   - index: the path of an index; nil: the one beside the recorded binary, if there is one.
  ///   - symbol: a name as `dead` lists it, a linker name, part of a name, or a pattern.
  ///   - path: the path of the profile.
  /// - Throws: `Failure` if the project's rules cannot be read.
  package init(
    to symbol: String, in profile: Profile, at path: String, index: String?
  ) throws(Failure) {
    self.profile = profile
    var request = NeverCalledRequest()
    try SourceTree(around: [path]).describe(profile, to: &request)
    isIndexed = index != nil
    var source = RecordedSource(index ?? "auto", of: profile, request.ownCode)
    do throws(Failure) {
      try source.addCertain(to: &request, from: profile, isIndexed: true)
    } catch {
      if isIndexed { throw error }
    }
    self.source = source
    report = DeadCodeReport(of: profile, for: request)
    functions = report.functions(named: symbol)
  }

  /// What refers to the functions. Nil if there is no index and none was requested.
  ///
  /// - Throws: `Failure` if an index was given and cannot be used.
  package func references() throws(Failure) -> Result<FunctionReferences, Failure>? {
    var source = source
    if isIndexed { return .success(try source.references(to: report)) }
    return source.foundReferences(to: report)
  }
}
