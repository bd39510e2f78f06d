import FirstlightModel
import ReferenceIndex

/// Groups of functions with similar references, in the order of a list: removable functions first,
/// then by distance from that.
package enum ReferenceGroup: Int, CaseIterable, Hashable, Sendable {
  case deletable
  /// Compiled code has no reference, but another place in the project names the function.
  case named
  /// References allow to delete the function, but it stays for another reason.
  case refused
  case onlyTests
  case onlyNeverCalled
  case answers
  case publicInterface
  case reachedByName
  case local
  case liveCode
  case unknown

  init(_ report: ReferenceReport) {
    self =
      switch report.reason {
      case .unreferenced, .fallsWith: report.isDeletable ? .deletable : .named
      case .refused: .refused
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
