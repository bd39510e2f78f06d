import DeadCode
import DebugInfo
import ReferenceIndex

/// An index of functions by linker name, for builds without a compiler's index: references in
/// linked binaries, and names in the source. A name counts as a reference from the function above
/// it, since inlined or excluded code has no relocation.
package struct LinkIndex {
  private let report: DeadCodeReport
  private var builder = ReferenceIndexBuilder()
  /// By linker name: its index in `parents`.
  private var numbers: [String: Int] = [:]
  /// A union-find forest: all names of one function lead to the same root, which leads to itself.
  private var parents: [Int] = []
  /// Report rows, each with one of its names.
  private var places: [(number: Int, row: Int)] = []
  /// By root name: its symbol, and one of its rows.
  private var symbols: [Int: Int] = [:]
  private var rows: [Int: Int] = [:]
  /// Functions that the source names, so that the line of a reference is known.
  private var named: Set<Int> = []
  /// Symbols of names without row.
  private var others: [String: Int] = [:]

  /// - Parameter isLinked: whether the references of a row's binary are known.
  package init(of report: DeadCodeReport, where isLinked: (FunctionReport) -> Bool) {
    self.report = report
    for (number, row) in report.functions.enumerated() where isLinked(row) {
      // Operators and conversions are used without their names, and an inlined copy needs no relocation.
      guard NamesInSource.isName(FunctionJoiner.baseName(row.shortName)) else { continue }
      let names = ([row.mangledName] + row.pieces.map(\.name)).filter { !$0.isEmpty }
      var first: Int?
      for name in names {
        let place = self.number(LinkerName.base(name))
        if let first { parents[root(place)] = root(first) } else { first = place }
      }
      if let first { places.append((first, number)) }
    }
    define()
  }

  private mutating func number(_ name: String) -> Int {
    if let known = numbers[name] { return known }
    numbers[name] = parents.count
    parents.append(parents.count)
    return parents.count - 1
  }

  private func root(_ number: Int) -> Int {
    var number = number
    while parents[number] != number { number = parents[number] }
    return number
  }

  private static let traits = IndexSymbolTraits(kind: .function, language: .c)

  private mutating func define() {
    var rowsOfRoots: [Int: [Int]] = [:]
    for place in places { rowsOfRoots[root(place.number), default: []].append(place.row) }
    let names = numbers.sorted { $0.value < $1.value }
    for (name, number) in names where root(number) == number {
      let members = rowsOfRoots[number] ?? []
      let shown = members.first.map { report.functions[$0].shortName } ?? name
      let symbol = builder.symbol(usr: "l:" + name, name: shown, Self.traits)
      symbols[number] = symbol
      rows[number] = members.first
      guard let symbol else { continue }
      for member in members {
        let row = report.functions[member]
        builder.define(symbol, file: file(row.file ?? ""), line: row.line)
      }
    }
    for (name, number) in names where root(number) != number {
      guard let symbol = symbols[root(number)],
        let other = builder.symbol(usr: "l:" + name, name: name, Self.traits)
      else { continue }
      builder.relate(other, .accessorOf, symbol)
    }
  }

  private mutating func file(_ path: String) -> Int { builder.file(path, module: "") }

  private static func pair(_ source: Int, _ target: Int) -> Int { source << 32 | target }

  /// Adds a binary's references. Call it after the names in the source, which take precedence.
  package mutating func add(_ links: LinkReferences, of binary: String) {
    let names = links.names.map(LinkerName.base)
    for edge in links.edges {
      guard let target = numbers[names[Int(edge.to)]], let symbol = symbols[root(target)] else {
        continue
      }
      if let source = numbers[names[Int(edge.from)]] {
        guard !named.contains(Self.pair(root(source), root(target))) else { continue }
        let row = rows[root(source)].map { report.functions[$0] }
        builder.refer(
          to: symbol, from: symbols[root(source)], file: file(row?.file ?? binary),
          line: row?.line ?? 0)
      } else {
        builder.refer(
          to: symbol, from: other(links.names[Int(edge.from)]), file: file(binary), line: 0)
      }
    }
  }

  /// The symbol of data, of a section, or of a function without row.
  private mutating func other(_ name: String) -> Int? {
    if let known = others[name] { return known }
    others[name] = builder.symbol(
      usr: "d:" + name, name: Demangler.demangle([name]).first ?? name, Self.traits)
    return others[name]
  }

  /// Adds the names in source files.
  ///
  /// - Parameter text: returns a file's contents; nil if it does not exist.
  package mutating func add(_ files: [String], text: (String) -> String?) {
    var wanted: [Substring: Set<Int>] = [:]
    var owners: [String: [(line: Int, number: Int)]] = [:]
    for (number, row) in rows {
      let function = report.functions[row]
      wanted[FunctionJoiner.baseName(function.shortName), default: []].insert(number)
    }
    for place in places {
      let row = report.functions[place.row]
      guard let path = row.file else { continue }
      owners[path, default: []].append((row.line, root(place.number)))
    }
    let names = Set(wanted.keys)
    for path in files {
      guard let text = text(path) else { continue }
      let functions = (owners[path] ?? []).sorted { $0.line < $1.line }
      for use in NamesInSource.all(in: text, of: names) {
        if use.isDeclaration {
          declare(use, in: path, wanted[use.name] ?? [])
          continue
        }
        let owner = functions.last { $0.line <= use.line }?.number
        for target in wanted[use.name] ?? [] { add(use, in: path, from: owner, to: target) }
      }
    }
  }

  /// Adds a C function's prototypes. Local functions of several files may share a name, so their
  /// prototypes are ambiguous.
  private mutating func declare(
    _ use: NamesInSource.Use, in path: String, _ targets: Set<Int>
  ) {
    guard targets.count == 1, let target = targets.first, let symbol = symbols[target],
      let row = rows[target].map({ report.functions[$0] }),
      row.file?.hasSuffix(".c") == true, row.file != path || row.line != use.line
    else { return }
    builder.define(symbol, file: file(path), line: use.line, isDeclaration: true)
  }

  private mutating func add(
    _ use: NamesInSource.Use, in path: String, from owner: Int?, to target: Int
  ) {
    guard let symbol = symbols[target], let row = rows[target].map({ report.functions[$0] }),
      row.file != path || row.line != use.line
    else { return }
    if let owner { named.insert(Self.pair(owner, target)) }
    builder.refer(
      to: symbol, from: owner.flatMap { symbols[$0] }, file: file(path), line: use.line)
  }

  package consuming func build() -> ReferenceIndex { builder.build() }
}
