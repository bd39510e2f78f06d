import ReferenceIndex

/// The verdict on the references to a function, with the place or the functions that it is based on.
package enum ReferenceReason: Hashable, Sendable {
  /// Where a reference is.
  package struct Site: Hashable, Sendable {
    package var file: String
    package var line: Int
    /// The function, variable or type that holds it; nil: none, as in a main file.
    package var container: String?
  }

  /// Functions that can be removed together.
  package struct Cluster: Hashable, Sendable {
    package var functions: Int
    package var bytes: UInt64
  }

  /// What a method answers or overrides.
  package struct Requirement: Hashable, Sendable {
    package var name: String
    /// The protocol or class; empty if the index does not name it.
    package var owner: String
    /// Whether code that may run uses it; nil: it is a library's, and that cannot be seen.
    package var isUsed: Bool?
  }

  /// No symbol of the index is found for it.
  case unknown(FunctionJoin.Reason)
  /// Code that may run refers to it; where.
  case liveCode(Site)
  case reachedByName(ReachedByName)
  /// A requirement of a protocol, or a method of a base class.
  case answers(Requirement)
  /// Users of a library product can call it.
  case publicInterface(module: String)
  /// A function within one that may run: only that one can refer to it, and indexes do not say.
  case local(within: String)
  case onlyTests(Site)
  /// Only never-called functions that can be removed themselves: index of the subject it falls with,
  /// which is itself where functions refer to each other in a circle; and how many others must be
  /// removed too.
  case fallsWith(root: Int, others: Int, Cluster)
  /// Only never-called functions, one of which something else still refers to: index of that one. And
  /// tests: where; nil: none.
  case onlyNeverCalled(by: Int, test: Site?)
  /// With what falls with it, itself included.
  case unreferenced(Cluster)

  /// Whether another reference, in code that this build left out, would change nothing.
  var isSettled: Bool {
    switch self {
    case .liveCode, .reachedByName, .publicInterface: true
    default: false
    }
  }

  /// Whether it can be removed, together with what it falls with.
  package var isDeletable: Bool {
    switch self {
    case .unreferenced, .fallsWith: true
    default: false
    }
  }
}

/// The result for one function.
package struct ReferenceReport: Hashable, Sendable {
  package var reason: ReferenceReason
  package var hiddenBranches: HiddenBranches

  /// Whether it can be removed, together with what it falls with, and nothing that this build left out
  /// names it.
  package var isDeletable: Bool {
    if case .named = hiddenBranches { return false }
    return reason.isDeletable
  }
}
