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

/// The functions that references alone would allow to delete.
struct DeletionCandidates {
  private(set) var all: [DeletionCandidate] = []
  /// By candidate: its functions. Copies of a header's function share a declaration.
  private var subjects: [[Int]] = []
  /// By function without a candidate: why it stays.
  private var refusals: [Int: DeletionRefusal] = [:]

  /// - Parameter names: of the functions, for display.
  init(_ classifier: ReferenceClassifier, names: (Int) -> String) {
    var groups: [ReferenceIndex.Symbol: [Int]] = [:]
    for subject in classifier.subjects.indices {
      classifier.symbol(of: subject).map { groups[$0, default: []].append(subject) }
    }
    var numbers: [ReferenceIndex.Symbol: Int] = [:]
    for (symbol, members) in groups.sorted(by: { $0.value[0] < $1.value[0] }) {
      let removable = members.filter { classifier.clusters.isRemovable($0) }
      guard let first = removable.first else { continue }
      if removable.count < members.count {
        for member in removable { refusals[member] = .declaration(.severalFunctions) }
      } else if let candidate = DeletionCandidate(
        symbol, named: names(first), in: classifier.index)
      {
        numbers[symbol] = all.count
        all.append(candidate)
        subjects.append(members)
      } else {
        for member in members { refusals[member] = .declaration(.notFound) }
      }
    }
    for (symbol, number) in numbers {
      for reference in classifier.index.references(to: symbol) {
        guard let user = reference.container.flatMap({ numbers[$0] }), user != number else {
          continue
        }
        all[user].uses.append(number)
      }
    }
  }

  /// By function: why it stays.
  ///
  /// - Parameter check: by index of a candidate, why it stays.
  func refusals(
    _ check: ([DeletionCandidate]) throws(Failure) -> [Int: DeletionRefusal]
  ) throws(Failure) -> [Int: DeletionRefusal] {
    var refusals = refusals
    guard !all.isEmpty else { return refusals }
    for (candidate, refusal) in try check(all) where all.indices.contains(candidate) {
      for subject in subjects[candidate] { refusals[subject] = refusal }
    }
    return refusals
  }
}
