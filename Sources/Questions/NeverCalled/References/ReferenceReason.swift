import FirstlightModel
import ReferenceIndex

/// The verdict on a function's references, with the supporting place or functions.
package enum ReferenceReason: Hashable, Sendable {
  /// The place of a reference.
  package struct Site: Hashable, Sendable {
    var file: String
    var line: Int
    /// The function, variable or type around it; nil at top level, as in a main file.
    var container: String?
  }

  /// Functions that can be removed together.
  package struct Cluster: Hashable, Sendable {
    var functions: Int
    var bytes: UInt64
  }

  /// The requirement that a method implements or overrides.
  package struct Requirement: Hashable, Sendable {
    var name: String
    /// The protocol or class; empty if the index does not name it.
    var owner: String
    /// Whether code that may run uses it; nil if it belongs to a library, where that is unknown.
    var isUsed: Bool?
  }

  /// The index has no symbol for the function.
  case unknown(FunctionJoin.Reason)
  /// Code that may run refers to the function at this place.
  case liveCode(Site)
  case reachedByName(ReachedByName)
  /// A requirement of a protocol, or a method of a base class.
  case answers(Requirement)
  /// Users of a library can call it.
  case publicInterface(PublicInterface)
  /// A local function in a function that may run: only that one can refer to it, and indexes omit it.
  case local(within: String)
  case onlyTests(Site)
  /// Only removable never-called functions refer to the function: index of the subject it falls
  /// with (the function itself in a cycle), and the number of others that must be removed too.
  case fallsWith(root: Int, others: Int, Cluster)
  /// Never-called functions refer to the function, and it is not removable: because of this referrer, or because
  /// of a test, whose reference has this place.
  case onlyNeverCalled(by: Int, test: Site?)
  /// It stays for another reason than references.
  case refused(DeletionRefusal)
  /// No references; with the functions that fall with it, including itself.
  case unreferenced(Cluster)

  /// Whether another place that names the function would change nothing.
  var isSettled: Bool {
    switch self {
    case .liveCode, .reachedByName, .publicInterface: true
    default: false
    }
  }

  /// Whether the function is removable, together with those that it falls with.
  package var isDeletable: Bool {
    switch self {
    case .unreferenced, .fallsWith: true
    default: false
    }
  }
}

/// What makes a function known to users of a library.
package enum PublicInterface: Hashable, Sendable {
  /// It is public in this module of a library product, or in the public headers of this target.
  case module(String)
  /// This header declares it, in a project that makes a library.
  case header(String)
}

/// The result for one function.
package struct ReferenceReport: Hashable, Sendable {
  package var reason: ReferenceReason
  /// What makes a function public that is removable, because the user asked for these, too.
  var publicInterface: PublicInterface?
  /// See `DeletionCandidate.header`; nil if the function is not removable.
  var header: String?
  /// A place that names the function, for which no known reference accounts.
  package var named: ProjectWords.Place?

  /// The one rule: whether the function may be deleted, together with those that it falls with. Lists, gates and
  /// `prune` ask for nothing else.
  package var isDeletable: Bool { named == nil && reason.isDeletable }
}

/// A function whose references are to be classified.
struct ReferenceSubject: Sendable {
  var join: FunctionJoin
  /// What the recorded runs say.
  var answer: Verdict.Answer
  var isTest: Bool = false
  /// Size of the code.
  var bytes: UInt64 = 0
  /// The way to reach the function without a name in compiled code, according to its declaration.
  var reachedByName: ReachedByName? = nil
  /// A place that names the function, for which no known reference accounts.
  var named: ProjectWords.Place? = nil
  /// Why it stays, whatever refers to it.
  var refusal: DeletionRefusal? = nil
}

/// The way to reach a function to which no compiled code refers.
package enum ReachedByName: Hashable, Sendable {
  /// `main`, or the `main()` of a type marked `@main`.
  case entryPoint
  /// An attribute exposes the function to code that the compiler does not see: `@_cdecl`, `@objc`.
  case attribute(String)
  /// The loader calls the function, or the linker keeps it: `constructor`, `used`.
  case linker(String)
  /// The binary exports the function: other binaries and `dlsym` can reach it.
  case exported
  /// The language reserves the name: a compiler's code, a linker or a library calls the function.
  case reserved
  /// A language feature calls the function without its name: `buildBlock`, `subscript(dynamicMember:)`.
  case languageFeature(String)
  /// The function runs when an instance is released.
  case deinitializer
  /// A test library finds the function.
  case test
}
