import DeadCode
import FirstlightModel
import References

/// The never-called functions of a profile, and what refers to them.
package struct NeverCalledAnswer: Sendable {
  package var list: DeadCodeList
  /// Nil: not asked for.
  package let references: FunctionReferences?
  /// Never-called functions that cannot be deleted, counted by what refers to them.
  package let undeletable: [ReferenceGroup: Int]

  /// Fails as `NeverCalledRequest.list`, or if a file that shows something cannot be read.
  ///
  /// - Parameters:
  ///   - tree: adds what it shows to the request.
  ///   - index: `auto`, or the path of an index; nil: no references.
  ///   - onlyDeletable: whether only functions are listed that can be deleted; needs an index.
  package init(
    to request: NeverCalledRequest, in tree: SourceTree, index: String?,
    onlyDeletable: Bool = false, from profile: consuming Profile
  ) throws(Failure) {
    var request = request
    try tree.describe(profile, to: &request)
    var source: RecordedSource?
    if let index { source = RecordedSource(index, of: profile, request.ownCode) }
    list = try request.list(from: consume profile)
    let references = try source?.references(to: list.report)
    self.references = references
    undeletable = list.gated.reduce(into: [:]) { counts, row in
      guard let group = references?.group(row.identity), group != .deletable else { return }
      counts[group, default: 0] += 1
    }
    references?.arrange(&list, onlyDeletable: onlyDeletable)
  }
}
