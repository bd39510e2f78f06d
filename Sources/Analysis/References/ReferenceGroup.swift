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
