import FirstlightModel

/// Who refers to whom in the source of a build: symbols with their definitions, the references to
/// them, and how they belong together.
///
/// References are kept once for each pair of symbols, whatever their number. Getters and setters
/// count as their variable.
package struct ReferenceIndex: Sendable {
  /// Index of a symbol.
  package typealias Symbol = Int

  /// A place where a symbol is defined or declared.
  package struct Definition: Hashable, Sendable {
    var symbol: Int32
    var fileIndex: Int32
    var lineNumber: Int32
    /// Whether it is only declared there, in a header.
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
    /// Of all of them.
    package var roles: IndexRoles

    /// Whether the container overrides or answers the target, and uses it in no other way.
    package var isOnlyOverride: Bool { roles == .overrideOf }
    /// The function, variable or type whose definition holds it; nil: none, as in a main file.
    package var container: Symbol? { containerIndex < 0 ? nil : Symbol(containerIndex) }
    /// Place of the first.
    package var file: Int { Int(fileIndex) }
    package var line: Int { Int(lineNumber) }
  }

  /// How a symbol belongs to another.
  package struct Relation: Hashable, Sendable {
    var symbol: Int32
    var otherIndex: Int32
    package var roles: IndexRoles

    package var other: Symbol { Symbol(otherIndex) }
  }

  /// A source file.
  package struct File: Hashable, Sendable {
    package var path: String
    /// Swift module; empty in other languages.
    package var module: String
  }

  package let files: [File]
  let usrs: NumberedTexts
  let names: NumberedTexts
  /// By symbol, like `traits`: number in `names`.
  let nameNumbers: [Int32]
  package let traits: [IndexSymbolTraits]
  /// By symbol: the variable an accessor is of; else itself.
  let owners: [Int32]
  /// By symbol: where its own begin in the list of that name, and behind the last one's end.
  let definitionStarts: [Int32]
  let definitions: [Definition]
  let referenceStarts: [Int32]
  let references: [Reference]
  let relationStarts: [Int32]
  let relations: [Relation]
  /// Indices in `definitions`, by file and line.
  let definitionsByPlace: [Int32]
  let fileNumbers: [String: Int]

  package var symbolCount: Int { traits.count }

  /// How many pairs of symbols are kept.
  package var referenceCount: Int { references.count }

  /// The symbol of a USR; of an accessor its variable.
  package func symbol(usr: String) -> Symbol? { usrs.find(usr).map { Symbol(owners[$0]) } }

  func symbol(usr: UnsafeRawBufferPointer) -> Symbol? {
    usrs.find(usr).map { Symbol(owners[$0]) }
  }

  /// As in the source, with labels: `price(of:)`.
  package func name(_ symbol: Symbol) -> String { names[Int(nameNumbers[symbol])] }

  package func definitions(of symbol: Symbol) -> ArraySlice<Definition> {
    definitions[Int(definitionStarts[symbol])..<Int(definitionStarts[symbol + 1])]
  }

  /// Whether the build defines it.
  package func isDefined(_ symbol: Symbol) -> Bool {
    definitions(of: symbol).contains { !$0.isDeclaration }
  }

  /// Its references to itself are left out.
  package func references(to symbol: Symbol) -> ArraySlice<Reference> {
    references[Int(referenceStarts[symbol])..<Int(referenceStarts[symbol + 1])]
  }

  package func relations(of symbol: Symbol) -> ArraySlice<Relation> {
    relations[Int(relationStarts[symbol])..<Int(relationStarts[symbol + 1])]
  }

  /// The file of a path.
  package func file(_ path: String) -> Int? { fileNumbers[path] }

  /// The symbols that are defined on a line.
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
