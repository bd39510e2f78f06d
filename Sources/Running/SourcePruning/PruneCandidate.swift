import DeclarationRemoval
import ReferenceIndex

/// A never-called function that can be removed, as far as references go.
package struct PruneCandidate: Hashable, Sendable {
  package struct Place: Hashable, Sendable {
    /// An absolute path.
    package var file: String
    package var target: DeclarationTarget

    package init(file: String, target: DeclarationTarget) {
      self.file = file
      self.target = target
    }
  }

  /// For people: `Ware.price(of:)`.
  package var name: String
  /// The linker's.
  package var mangledName: String
  /// Of its code.
  package var bytes: UInt64
  package var symbol: ReferenceIndex.Symbol
  package var definition: Place
  /// In C, declarations in headers and above: they go with the definition where it goes.
  package var declarations: [Place]
  /// Indices of other candidates that it refers to: they stay if it does.
  package var uses: [Int]

  package init(
    name: String, mangledName: String = "", bytes: UInt64 = 0, symbol: ReferenceIndex.Symbol = 0,
    definition: Place, declarations: [Place] = [], uses: [Int] = []
  ) {
    self.name = name
    self.mangledName = mangledName
    self.bytes = bytes
    self.symbol = symbol
    self.definition = definition
    self.declarations = declarations
    self.uses = uses
  }

  /// "hidden()" of "Ware.hidden()": as the source names it.
  package var target: DeclarationTarget { definition.target }

  var isSwift: Bool { definition.file.hasSuffix(".swift") }
}
