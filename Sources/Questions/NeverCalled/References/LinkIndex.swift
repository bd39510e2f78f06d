import DebugInfo
import FirstlightModel
import ReferenceIndex

/// An index of functions by linker name, for builds without a compiler's index: references in linked binaries.
/// Where bytes only look like a call, it is one if the source names the called function in the calling one, and
/// doubtful otherwise: the name may be in a macro.
struct LinkIndex {
  private let report: DeadCodeReport
  private var builder = ReferenceIndexBuilder()
  /// By linker name: its index in `parents`.
  private var numbers: [TextBytes: Int] = [:]
  /// A union-find forest: all names of one function lead to the same root, which leads to itself.
  private var parents: [Int] = []
  /// Report rows, each with one of its names.
  private var places: [(number: Int, row: Int)] = []
  /// By root name: its symbol, and one of its rows.
  private var symbols: [Int: Int] = [:]
  private var rows: [Int: Int] = [:]
  private let words: ProjectWords
  private let sources: SourceTexts
  /// Symbols of names without row.
  private var others: [TextBytes: Int] = [:]

  /// - Parameters:
  ///   - words: the words of the project's files.
  ///   - source: returns a source file; nil if it does not exist.
  ///   - isLinked: whether the references of a row's binary are known.
  init(
    of report: DeadCodeReport, words: ProjectWords,
    source: @escaping (String) -> SourceText?, where isLinked: (FunctionReport) -> Bool
  ) {
    self.report = report
    self.words = words
    sources = SourceTexts(source)
    for (number, row) in report.functions.enumerated() where isLinked(row) {
      // Operators and conversions are used without their names, and an inlined copy needs no relocation.
      guard ProjectWords.isWord(FunctionJoiner.baseName(row.shortName)) else { continue }
      let names = ([row.mangledName] + row.pieces.map(\.name)).filter { !$0.isEmpty }
      var first: Int?
      for name in names {
        let place = self.number(CloneSuffix.base(of: name))
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
    let names = numbers.sorted { $0.value < $1.value }.map { ($0.key.text, $0.value) }
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

  /// Adds a binary's references.
  mutating func add(_ links: LinkReferences, of binary: String) {
    let names = links.names.map(CloneSuffix.base)
    for edge in links.edges {
      guard let target = numbers[names[Int(edge.to)]], let symbol = symbols[root(target)] else {
        continue
      }
      guard let source = numbers[names[Int(edge.from)]] else {
        if edge.isProved {
          builder.refer(
            to: symbol, from: other(links.names[Int(edge.from)]), file: file(binary), line: 0)
        } else {
          builder.doubt(symbol)
        }
        continue
      }
      let row = rows[root(source)].map { report.functions[$0] }
      guard edge.isProved || isNamed(root(target), in: row) else {
        if root(source) != root(target) { builder.doubt(symbol) }
        continue
      }
      builder.refer(
        to: symbol, from: symbols[root(source)], file: file(row?.file ?? binary),
        line: row?.line ?? 0)
    }
  }

  /// Whether the source names a function within another one.
  private func isNamed(_ target: Int, in caller: FunctionReport?) -> Bool {
    guard let row = rows[target], let caller, let file = caller.file else { return false }
    return words.stands(
      String(FunctionJoiner.baseName(report.functions[row].shortName)), in: file,
      sources.lines(ofDeclarationIn: file, at: caller.line))
  }

  /// The symbol of data, of a section, or of a function without row.
  private mutating func other(_ name: String) -> Int? {
    if let known = others[name] { return known }
    others[name] = builder.symbol(
      usr: "d:" + name, name: Demangler.demangle([name]).first ?? name, Self.traits)
    return others[name]
  }

  /// Adds the prototypes of C functions. Local functions of several files may share a name, so their prototypes are
  /// ambiguous.
  mutating func addPrototypes() {
    var named: [TextBytes: [Int]] = [:]
    for (number, row) in rows where report.functions[row].file?.ends(with: ".c") == true {
      named[report.functions[row].shortName, default: []].append(number)
    }
    for (name, numbers) in named where numbers.count == 1 {
      guard let row = rows[numbers[0]].map({ report.functions[$0] }),
        let symbol = symbols[numbers[0]]
      else { continue }
      for place in words.all(name.text)
      where place.isPrototype && (place.line != row.line || place.file != row.file ?? "") {
        builder.define(symbol, file: file(place.file), line: place.line, isDeclaration: true)
      }
    }
  }

  consuming func build() -> ReferenceIndex { builder.build() }
}
