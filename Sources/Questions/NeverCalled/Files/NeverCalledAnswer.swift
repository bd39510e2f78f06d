import FirstlightModel
import ProcessControl
import SystemSupport

/// The never-called functions of a profile, and the references to them.
package struct NeverCalledAnswer: Sendable {
  package var list: DeadCodeList
  /// Nil: not requested.
  package let references: FunctionReferences?
  /// The folder that patches are applied in.
  package let patchFolder: String
  /// Shows the origin of a file's code; nil if unknown.
  package let ownCode: OwnCode?
  /// Why no index shows which tests call functions; nil: one does, or there is no profile of tests.
  package private(set) var missingIndex: Failure?
  /// The number of never-called functions that cannot be deleted, by kind of reference.
  package let undeletable: [ReferenceGroup: Int]

  /// Throws as `NeverCalledRequest.list`, or if a needed file cannot be read.
  ///
  /// - Parameters:
  ///   - tree: adds facts from the source tree to the request.
  ///   - index: `auto`, or the path of an index; nil: no references, but with `tests` those of any index found.
  ///   - onlyDeletable: whether to list only functions that can be deleted; needs an index.
  ///   - allowsPublic: whether functions that only users of a library may call can be deleted, too.
  ///   - revision: limits the list to functions that changed since the merge base of HEAD and this one. Not with `tests`.
  ///   - tests: the profile of the program's tests; the index is that of their build.
  ///   - check: reads the declarations of what references allow to delete.
  package init(
    to request: NeverCalledRequest, in tree: SourceTree, index: String?,
    onlyDeletable: Bool = false, allowsPublic: Bool = false, changedSince revision: String? = nil,
    from profile: consuming Profile,
    tests: consuming Profile? = nil, check: @escaping DeletionCheck
  ) throws(Failure) {
    var request = request
    try tree.describe(profile, to: &request)
    ownCode = request.ownCode
    if let tests {
      (list, references, missingIndex, patchFolder) = try Self.tested(
        request, in: tree, index: index, from: consume profile, tests: tests,
        allowsPublic: allowsPublic, check: check)
    } else {
      let source = RecordedSource(
        index ?? "auto", of: profile, request.ownCode, baseline: request.baseline,
        allowsPublic: allowsPublic, check: check)
      patchFolder = source.patchFolder
      let report = try request.report(of: profile)
      var change: SourceChange?
      if let revision {
        change = try ChangeFinder(since: revision, for: request).change(of: report, profile)
      }
      // The profile is large, so it is released before the list is created.
      _ = consume profile
      list = DeadCodeList(report, for: request, change: change)
      references = index == nil ? nil : try source.references(to: list.report)
    }
    let references = references
    undeletable = list.gated.reduce(into: [:]) { counts, row in
      guard let group = references?.group(row.identity), group != .deletable else { return }
      counts[group, default: 0] += 1
    }
    references?.arrange(&list, onlyDeletable: onlyDeletable)
  }

  private static func tested(
    _ request: NeverCalledRequest, in tree: SourceTree, index: String?, from profile: Profile,
    tests: Profile, allowsPublic: Bool, check: @escaping DeletionCheck
  ) throws(Failure) -> (DeadCodeList, FunctionReferences?, Failure?, String) {
    var testRequest = NeverCalledRequest()
    try tree.describe(tests, to: &testRequest)
    let ownCode = request.ownCode ?? testRequest.ownCode
    testRequest.ownCode = ownCode
    var report = try TestedReport(
      try request.report(of: profile), tests: DeadCodeReport(of: tests, for: testRequest),
      for: request)
    let source = RecordedSource(
      index ?? "auto", of: tests, ownCode, baseline: request.baseline,
      allowsPublic: allowsPublic, check: check)
    var references: FunctionReferences?
    var failure: Failure?
    do throws(Failure) { references = try source.references(to: report.forReferences) } catch {
      if index != nil { throw error }
      failure = error
    }
    if let references { report.list(missing: references.isUnneeded) }
    var list = DeadCodeList(report.report, for: request)
    list.tests = Observation(of: tests)
    return (list, references, failure, source.patchFolder)
  }
}

extension DeadCodeList {
  /// Reads when the rows' lines were last changed, where git knows it.
  package mutating func readChangeTimes() {
    var lines: [TextBytes: Set<Int>] = [:]
    for row in dead where row.line > 0 {
      if let file = row.file { lines[file, default: []].insert(row.line) }
    }
    var times: [TextBytes: [Int: Double]] = [:]
    for (file, lines) in lines.map({ ($0.text, $1) }) {
      guard let folder = AbsolutePath.folder(of: file) else { continue }
      times[file] = GitRepository(at: folder).changes(of: lines, in: file)
    }
    changeTimes = [:]
    for row in dead {
      if let file = row.file, let time = times[file]?[row.line] {
        changeTimes?[row.identity] = time
      }
    }
  }
}
