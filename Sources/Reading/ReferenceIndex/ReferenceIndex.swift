import FirstlightModel

/// The references between the symbols of a build's source, with the symbols' definitions and
/// relations.
///
/// Each pair of symbols has at most one reference, whatever the real number. Getters and setters
/// count as their variable.
package struct ReferenceIndex: Sendable {
  /// Index of a symbol.
  package typealias Symbol = Int

  /// A place where a symbol is defined or declared.
  package struct Definition: Hashable, Sendable {
    var symbol: Int32
    var fileIndex: Int32
    var lineNumber: Int32
    /// Whether it is only a declaration, in a header.
    package var isDeclaration: Bool

    package var file: Int { Int(fileIndex) }
    package var line: Int { Int(lineNumber) }
  }

  /// All references from one symbol to another.
  package struct Reference: Hashable, Sendable {
    var targetIndex: Int32
    var containerIndex: Int32
    var fileIndex: Int32
    var lineNumber: Int32
    /// The roles of all references.
    package var roles: IndexRoles

    /// Whether the container only overrides or implements the target, without another use.
    package var isOnlyOverride: Bool { roles == .overrideOf }
    /// The function, variable or type around the references; nil at top level, as in a main file.
    package var container: Symbol? { containerIndex < 0 ? nil : Symbol(containerIndex) }
    /// Place of the first reference.
    package var file: Int { Int(fileIndex) }
    package var line: Int { Int(lineNumber) }
  }

  /// A relation between two symbols.
  package struct Relation: Hashable, Sendable {
    var symbol: Int32
    var otherIndex: Int32
    package var roles: IndexRoles

    package var other: Symbol { Symbol(otherIndex) }
  }

  /// A source file.
  package struct File: Hashable, Sendable {
    package var path: String
    /// The Swift module; empty in other languages.
    package var module: String
  }

  package let files: [File]
  let usrs: NumberedTexts
  let names: NumberedTexts
  /// Index into `names` by symbol, like `traits`.
  let nameNumbers: [Int32]
  package let traits: [IndexSymbolTraits]
  /// By symbol: an accessor's variable, or the symbol itself.
  let owners: [Int32]
  /// By symbol: start of its part in the list of that name, with a final end.
  let definitionStarts: [Int32]
  let definitions: [Definition]
  let referenceStarts: [Int32]
  let references: [Reference]
  let relationStarts: [Int32]
  let relations: [Relation]
  /// Indices into `definitions`, sorted by file and line.
  let definitionsByPlace: [Int32]
  let fileNumbers: [TextBytes: Int]
  /// Symbols to which machine code may refer in a way that is not among the references.
  package let doubtful: Set<Symbol>

  package var symbolCount: Int { traits.count }

  /// Number of pairs of symbols with a reference.
  var referenceCount: Int { references.count }

  /// The symbol with a USR; for an accessor, its variable.
  package func symbol(usr: String) -> Symbol? { usrs.find(usr).map { Symbol(owners[$0]) } }

  func symbol(usr: UnsafeRawBufferPointer) -> Symbol? {
    usrs.find(usr).map { Symbol(owners[$0]) }
  }

  package func usr(_ symbol: Symbol) -> String { usrs[symbol] }

  /// The name in the source, with labels: `price(of:)`.
  package func name(_ symbol: Symbol) -> String { names[Int(nameNumbers[symbol])] }

  package func definitions(of symbol: Symbol) -> ArraySlice<Definition> {
    definitions[Int(definitionStarts[symbol])..<Int(definitionStarts[symbol + 1])]
  }

  /// Whether the build defines it.
  package func isDefined(_ symbol: Symbol) -> Bool {
    definitions(of: symbol).contains { !$0.isDeclaration }
  }

  /// References from a symbol to itself are omitted.
  package func references(to symbol: Symbol) -> ArraySlice<Reference> {
    references[Int(referenceStarts[symbol])..<Int(referenceStarts[symbol + 1])]
  }

  package func relations(of symbol: Symbol) -> ArraySlice<Relation> {
    relations[Int(relationStarts[symbol])..<Int(relationStarts[symbol + 1])]
  }

  /// The number of a file.
  package func file(_ path: String) -> Int? { fileNumbers[path] }

  /// The symbols defined on a line.
  package func symbols(file: Int, line: Int) -> [Symbol] {
    let first = definitionsByPlace.partitioningIndex {
      (definitions[Int($0)].file, definitions[Int($0)].line) >= (file, line)
    }
    var found: [Symbol] = []
    for index in definitionsByPlace[first...] {
      let definition = definitions[Int(index)]
      guard definition.file == file, definition.line == line else { break }
      if !definition.isDeclaration { found.append(Symbol(definition.symbol)) }
    }
    return found
  }
}
