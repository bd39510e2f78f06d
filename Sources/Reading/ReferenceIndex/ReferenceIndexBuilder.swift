import FirstlightModel

/// Builds an index, from records or from a test's data.
package struct ReferenceIndexBuilder {
  package typealias Symbol = ReferenceIndex.Symbol

  private var files: [ReferenceIndex.File] = []
  private var fileNumbers: [TextBytes: Int] = [:]
  private var usrs = NumberedTexts()
  private var names = NumberedTexts()
  private var nameNumbers: [Int32] = []
  private var traits: [IndexSymbolTraits] = []
  /// The variables of accessors; -1 for other symbols.
  private var variables: [Int32] = []
  private var definitions: [ReferenceIndex.Definition] = []
  private var references: [ReferenceIndex.Reference] = []
  private var relations: [ReferenceIndex.Relation] = []
  private var doubtful: Set<Symbol> = []

  package init() {}

  /// The number of a file; its first module stays.
  package mutating func file(_ path: String, module: String) -> Int {
    if let known = fileNumbers[path] { return known }
    fileNumbers[path] = files.count
    files.append(.init(path: path, module: module))
    return files.count - 1
  }

  /// The number of a symbol; its first name and traits stay.
  package mutating func symbol(usr: String, name: String, _ traits: IndexSymbolTraits) -> Symbol? {
    var (usr, name) = (usr, name)
    return usr.withUTF8 { usr in
      name.withUTF8 {
        symbol(usr: UnsafeRawBufferPointer(usr), name: UnsafeRawBufferPointer($0), traits)
      }
    }
  }

  mutating func symbol(
    usr: UnsafeRawBufferPointer, name: UnsafeRawBufferPointer, _ traits: IndexSymbolTraits
  ) -> Symbol? {
    guard let number = usrs.insert(usr), let nameNumber = names.insert(name) else { return nil }
    guard number == self.traits.count else { return number }
    self.traits.append(traits)
    nameNumbers.append(Int32(nameNumber))
    variables.append(-1)
    return number
  }

  package mutating func define(_ symbol: Symbol, file: Int, line: Int, isDeclaration: Bool = false)
  {
    definitions.append(
      .init(
        symbol: Int32(symbol), fileIndex: Int32(file), lineNumber: Int32(clamping: line),
        isDeclaration: isDeclaration))
  }

  /// - Parameter container: the function, variable or type around the reference.
  package mutating func refer(
    to target: Symbol, from container: Symbol?, file: Int, line: Int,
    _ roles: IndexRoles = [.reference, .call]
  ) {
    references.append(
      .init(
        targetIndex: Int32(target), containerIndex: container.map { Int32($0) } ?? -1,
        fileIndex: Int32(file), lineNumber: Int32(clamping: line), roles: roles))
  }

  /// Notes that there may be a reference to a symbol, although nothing proves it.
  package mutating func doubt(_ symbol: Symbol) { doubtful.insert(symbol) }

  package mutating func relate(_ symbol: Symbol, _ roles: IndexRoles, _ other: Symbol) {
    if symbol != other, roles.contains(.accessorOf) || isAccessor(symbol, roles, of: other) {
      variables[symbol] = Int32(other)
    }
    relations.append(.init(symbol: Int32(symbol), otherIndex: Int32(other), roles: roles))
  }

  /// `_read` and `_modify` are marked only as children of their variable. A variable has no other
  /// children that are called by name.
  private func isAccessor(_ symbol: Symbol, _ roles: IndexRoles, of other: Symbol) -> Bool {
    roles.contains(.childOf) && traits[other].kind.isVariable && traits[symbol].kind.isFunction
  }

  /// Number of references, for the argument of a later `fold`.
  var referenceCount: Int { references.count }
  var relationCount: Int { relations.count }

  /// Keeps one reference and one relation for each pair of symbols, from a number on: a file's
  /// share then grows only with its symbols. Files rarely share pairs.
  mutating func fold(referencesFrom first: Int, relationsFrom second: Int) {
    references[first...].sort(by: Self.isBefore)
    Self.fold(&references, from: first)
    relations[second...].sort { ($0.symbol, $0.otherIndex) < ($1.symbol, $1.otherIndex) }
    Self.fold(&relations, from: second)
  }

  private static func isBefore(
    _ first: ReferenceIndex.Reference, _ second: ReferenceIndex.Reference
  ) -> Bool {
    if first.targetIndex != second.targetIndex { return first.targetIndex < second.targetIndex }
    if first.containerIndex != second.containerIndex {
      return first.containerIndex < second.containerIndex
    }
    if first.fileIndex != second.fileIndex { return first.fileIndex < second.fileIndex }
    return first.lineNumber < second.lineNumber
  }

  /// References without container are kept once for each file.
  private static func fold(_ references: inout [ReferenceIndex.Reference], from first: Int) {
    guard references.count > first else { return }
    var last = first
    for next in (first + 1)..<references.count {
      let (kept, reference) = (references[last], references[next])
      if kept.targetIndex == reference.targetIndex, kept.containerIndex == reference.containerIndex,
        kept.containerIndex >= 0 || kept.fileIndex == reference.fileIndex
      {
        references[last].roles.formUnion(reference.roles)
      } else {
        last += 1
        references[last] = reference
      }
    }
    references.removeSubrange((last + 1)...)
  }

  private static func fold(_ relations: inout [ReferenceIndex.Relation], from first: Int) {
    guard relations.count > first else { return }
    var last = first
    for next in (first + 1)..<relations.count {
      let (kept, relation) = (relations[last], relations[next])
      if kept.symbol == relation.symbol, kept.otherIndex == relation.otherIndex {
        relations[last].roles.formUnion(relation.roles)
      } else {
        last += 1
        relations[last] = relation
      }
    }
    relations.removeSubrange((last + 1)...)
  }

  /// Builds the index. Only references to symbols that the build defines or declares are kept.
  package consuming func build() -> ReferenceIndex {
    let owners = Self.owners(variables)
    // An accessor's relations belong to its variable.
    for place in relations.indices {
      relations[place].symbol = owners[Int(relations[place].symbol)]
      relations[place].otherIndex = owners[Int(relations[place].otherIndex)]
    }
    relations.removeAll { $0.symbol == $0.otherIndex }
    for place in definitions.indices {
      definitions[place].symbol = owners[Int(definitions[place].symbol)]
    }
    definitions.sort {
      ($0.symbol, $0.isDeclaration ? 1 : 0, $0.fileIndex, $0.lineNumber)
        < ($1.symbol, $1.isDeclaration ? 1 : 0, $1.fileIndex, $1.lineNumber)
    }
    definitions = Self.withoutRepeats(definitions)
    var isKnown = [Bool](repeating: false, count: traits.count)
    for definition in definitions { isKnown[Int(definition.symbol)] = true }
    for place in references.indices {
      references[place].targetIndex = owners[Int(references[place].targetIndex)]
      let container = references[place].containerIndex
      if container >= 0 { references[place].containerIndex = owners[Int(container)] }
    }
    addOverrides()
    references.removeAll {
      !isKnown[Int($0.targetIndex)] || $0.targetIndex == $0.containerIndex
    }
    fold(referencesFrom: 0, relationsFrom: 0)
    let byPlace = definitions.indices.sorted {
      let (first, second) = (definitions[$0], definitions[$1])
      return (first.fileIndex, first.lineNumber, first.symbol)
        < (second.fileIndex, second.lineNumber, second.symbol)
    }
    let count = traits.count
    return ReferenceIndex(
      files: files, usrs: usrs, names: names, nameNumbers: nameNumbers, traits: traits,
      owners: owners,
      definitionStarts: Self.starts(count, definitions.lazy.map(\.symbol)),
      definitions: definitions,
      referenceStarts: Self.starts(count, references.lazy.map(\.targetIndex)),
      references: references,
      relationStarts: Self.starts(count, relations.lazy.map(\.symbol)), relations: relations,
      definitionsByPlace: byPlace.map { Int32($0) }, fileNumbers: fileNumbers,
      doubtful: Set(doubtful.map { Symbol(owners[$0]) }))
  }

  /// An overriding method needs the overridden one: without it, `override` is an error. The same holds for a
  /// protocol's requirement. Swift's implicit initializers refer to those of the base class only in this way.
  private mutating func addOverrides() {
    var places = [Int32](repeating: -1, count: traits.count)
    for (place, definition) in definitions.enumerated().reversed() {
      places[Int(definition.symbol)] = Int32(place)
    }
    for relation in relations where relation.roles.contains(.overrideOf) {
      let place = places[Int(relation.symbol)]
      guard place >= 0 else { continue }
      references.append(
        .init(
          targetIndex: relation.otherIndex, containerIndex: relation.symbol,
          fileIndex: definitions[Int(place)].fileIndex,
          lineNumber: definitions[Int(place)].lineNumber, roles: .overrideOf))
    }
  }

  private static func owners(_ variables: [Int32]) -> [Int32] {
    variables.indices.map { variables[$0] < 0 ? Int32($0) : variables[$0] }
  }

  /// An accessor's definition counts as its variable's, often on the same line.
  private static func withoutRepeats(
    _ definitions: [ReferenceIndex.Definition]
  ) -> [ReferenceIndex.Definition] {
    var kept: [ReferenceIndex.Definition] = []
    for definition in definitions where definition != kept.last { kept.append(definition) }
    return kept
  }

  /// The start of each symbol's part in a list that is sorted by symbol.
  private static func starts(_ count: Int, _ symbols: some Sequence<Int32>) -> [Int32] {
    var starts = [Int32](repeating: 0, count: count + 1)
    for symbol in symbols { starts[Int(symbol) + 1] += 1 }
    for place in 0..<count { starts[place + 1] += starts[place] }
    return starts
  }
}
