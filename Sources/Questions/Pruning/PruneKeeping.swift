import FirstlightModel
import NeverCalled
import ReferenceIndex
import SystemSupport

/// The reason why a candidate stays.
package enum PruneKeeping: Hashable, Sendable {
  /// Its own declaration decides.
  case refused(DeletionRefusal)
  /// This other candidate stays and refers to it.
  case neededBy(String)
  /// This test refers to it and to that function of the program, which stays.
  case testOfLiveCode(String, String)
  /// This code of tests stays and refers to it.
  case test(String, because: String)
  /// For code of tests: it refers to this function, which stays.
  case liveCode(String)
  case tests(String)
  /// Code of tests at this place refers to it.
  case usedAt(String)
  /// For code of tests: it is no function that can be removed, or a whole program.
  case noFunction
  case program
  /// For code of tests: it has several definitions.
  case namesakes

  package var text: String {
    switch self {
    case .refused(let refusal): refusal.text
    case .neededBy(let name): "\(name) stays and refers to it"
    case .testOfLiveCode(let test, let live):
      "a test of live code refers to it: \(test), which also tests \(live)"
    case .test(let name, let reason): "code of tests refers to it: \(name) (\(reason))"
    case .liveCode(let name): "it also tests \(name)"
    case .tests(let name): "it also tests \(name), which stays"
    case .usedAt(let place): "\(place) refers to it"
    case .noFunction: "not a function"
    case .namesakes: "one of several functions of this name"
    case .program: "a program"
    }
  }
}
