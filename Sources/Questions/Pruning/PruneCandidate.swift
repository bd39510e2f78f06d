import FirstlightModel
import NeverCalled
import ReferenceIndex

/// A never-called function that is removable according to its references.
package struct PruneCandidate: Hashable, Sendable {
  package typealias Place = DeletionCandidate.Place

  /// For display: `Ware.price(of:)`.
  package var name: String
  /// The linker's name.
  package var mangledName: String = ""
  /// Its row's, in the never-called list.
  package var identity: String = ""
  package var age: FunctionAge? = nil
  /// Size of the code.
  package var bytes: UInt64 = 0
  /// The rows of the list that go with it, its own among them.
  package var rows = 1
  package var symbol: ReferenceIndex.Symbol = 0
  package var definition: Place
  /// In C, declarations in headers and above, which are removed with the definition.
  package var declarations: [Place] = []
  /// Indices of other candidates that it refers to: they stay if it stays. Tests and what they test stay or go
  /// together.
  package var uses: [Int] = []
  /// Lines with nothing else than an entry of a test in a list of tests, or its call; they go with it.
  package var entries: [Place] = []
  /// Whether it is code of tests.
  package var isTest = false
  /// Why a test stays in any case; nil: it may go.
  package var keeping: PruneKeeping?

  /// The name in the source: "hidden()" of "Ware.hidden()".
  package var target: DeclarationTarget { definition.target }

  mutating func add(_ row: FunctionReport) {
    rows += 1
    bytes += row.bytes
  }

  var isSwift: Bool { definition.file.ends(with: ".swift") }
}
