import FirstlightModel
import ReferenceIndex

/// A function that its references allow to delete. The text of its declarations decides whether it goes.
package struct DeletionCandidate: Hashable, Codable, Sendable {
  package struct Place: Hashable, Codable, Sendable {
    /// An absolute path.
    package var file: String
    package var target: DeclarationTarget

    package init(file: String, target: DeclarationTarget) {
      self.file = file
      self.target = target
    }
  }

  /// For display: `Ware.price(of:)`.
  package var name: String
  package var definition: Place
  /// In C, declarations in headers and above, which go with the definition.
  package var declarations: [Place] = []
  /// Indices of other candidates that it refers to: they stay if it stays.
  package var uses: [Int] = []

  package init(name: String, definition: Place, declarations: [Place] = [], uses: [Int] = []) {
    self.name = name
    self.definition = definition
    self.declarations = declarations
    self.uses = uses
  }

  /// The header that declares it. Nothing shows whether other programs include the header.
  package var header: String? { Self.header(of: declarations) }

  package static func header(of declarations: [Place]) -> String? {
    declarations.map(\.file).first { $0.ends(with: ".h") }
  }

  /// The places of a symbol: its definition, and its declarations. Nil if no definition is known.
  ///
  /// - Parameter name: for display.
  package init?(_ symbol: ReferenceIndex.Symbol, named name: String, in index: ReferenceIndex) {
    func place(_ definition: ReferenceIndex.Definition) -> Place {
      Place(
        file: index.files[definition.file].path,
        target: DeclarationTarget(name: index.name(symbol), line: definition.line))
    }
    let definitions = index.definitions(of: symbol)
    // A variable's accessors are defined on its line or below.
    guard let first = definitions.first(where: { !$0.isDeclaration }) else { return nil }
    self.init(
      name: name, definition: place(first),
      declarations: definitions.filter(\.isDeclaration).map(place))
  }
}

/// A declaration to remove, as an index names it.
package struct DeclarationTarget: Hashable, Codable, Sendable {
  /// With labels: `price(of:)`, `init(_:)`, `subscript(_:)`, `==(_:_:)`, `total`.
  package var name: String
  /// Line of its name, from 1.
  package var line: Int

  package init(name: String, line: Int) {
    self.name = name
    self.line = line
  }
}
