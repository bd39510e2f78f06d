import DeadCode
import FirstlightModel
import References

/// The never-called functions of a profile, and the references to them.
package struct NeverCalledAnswer: Sendable {
  package var list: DeadCodeList
  /// Nil: not requested.
  package let references: FunctionReferences?
  /// The number of never-called functions that cannot be deleted, by kind of reference.
  package let undeletable: [ReferenceGroup: Int]

  /// Throws as `NeverCalledRequest.list`, or if a needed file cannot be read.
  ///
  /// - Parameters:
  ///   - tree: adds facts from the source tree to the request.
  ///   - index: `auto`, or the path of an index; nil: no references.
  ///   - onlyDeletable: whether to list only functions that can be deleted; needs an index.
  package init(
    to request: NeverCalledRequest, in tree: SourceTree, index: String?,
    onlyDeletable: Bool = false, from profile: consuming Profile
  ) throws(Failure) {
    var request = request
    try tree.describe(profile, to: &request)
    var source = RecordedSource(index ?? "auto", of: profile, request.ownCode)
    try source.addCertain(to: &request, from: profile, isIndexed: index != nil)
    list = try request.list(from: consume profile)
    let references = index == nil ? nil : try source.references(to: list.report)
    self.references = references
    undeletable = list.gated.reduce(into: [:]) { counts, row in
      guard let group = references?.group(row.identity), group != .deletable else { return }
      counts[group, default: 0] += 1
    }
    references?.arrange(&list, onlyDeletable: onlyDeletable)
  }
}
