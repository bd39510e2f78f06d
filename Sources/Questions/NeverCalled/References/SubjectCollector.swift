import FirstlightModel
import ReferenceIndex

/// Creates the subjects of functions.
struct SubjectCollector {
  private let index: ReferenceIndex
  private let joiner: FunctionJoiner
  private let options: FunctionReferences.Options
  private let sources: SourceTexts
  /// By name without types and parameters: the symbols of functions that the project's words may mean.
  private var namesakes: [TextBytes: [ReferenceIndex.Symbol]] = [:]

  init(
    _ index: ReferenceIndex, _ options: FunctionReferences.Options, _ sources: SourceTexts
  ) {
    self.index = index
    joiner = FunctionJoiner(index)
    self.options = options
    self.sources = sources
    guard !options.words.isEmpty else { return }
    for symbol in 0..<index.symbolCount where index.traits[symbol].kind.isFunction {
      let name = Self.baseName(index.name(symbol))
      if options.words.has(name) { namesakes[name, default: []].append(symbol) }
    }
  }

  /// Parses only names that are not plain: most names of an index are.
  private static func baseName(_ name: String) -> Substring {
    let plain = name.prefix(upToAny: "(")
    return plain.utf8.contains { ": <.".utf8.contains($0) } ? FunctionJoiner.baseName(name) : plain
  }

  func subject(_ row: FunctionReport) -> ReferenceSubject {
    let names = [row.mangledName] + row.pieces.map(\.name).filter { $0 != row.mangledName }
    // A function without subject counts as live. A kept one does: something that no record shows needs it.
    guard let answer = row.verdict.answer, answer != .unknown, row.verdict != .kept else {
      return ReferenceSubject(join: .unknown(.compilerGenerated), answer: .unknown)
    }
    var subject = ReferenceSubject(
      join: joiner.join(
        names: names, shortName: row.shortName, file: row.file, line: row.line),
      answer: answer, isTest: row.origin == .tests, bytes: row.bytes)
    if answer == .neverCalled {
      subject.refusal = options.refusal(row)
      addSource(&subject, row)
    }
    return subject
  }

  private func addSource(_ subject: inout ReferenceSubject, _ row: FunctionReport) {
    if options.exported.contains(row.mangledName) { subject.reachedByName = .exported }
    subject.named = named(row, subject.join)
    guard let file = row.file, let source = sources[file] else { return }
    subject.reachedByName = source.reachedByName(line: row.line) ?? subject.reachedByName
    if subject.join.isUnknown, row.isMain, file.ends(with: ".swift") {
      subject.reachedByName = .entryPoint
    }
  }

  /// The first place that names a function, and that no declaration and no known reference accounts for.
  private func named(_ row: FunctionReport, _ join: FunctionJoin) -> ProjectWords.Place? {
    let isSwift = row.file?.ends(with: ".swift") == true
    let linkerName = row.mangledName.drop(any: "$")
    let places = FunctionReferences.words(of: row).map(\.text).flatMap { word in
      options.words.all(word).filter { place in
        guard !place.isSwiftText || word == linkerName else { return false }
        // Other languages know a Swift function by its linker name alone.
        return !place.isDeclaration
          && (!isSwift || place.file.ends(with: ".swift") || word.begins(with: "s"))
      }
    }
    guard !places.isEmpty else { return nil }
    let known = lines(of: row, join)
    return places.first { place in
      known[place.file]?.contains { $0.contains(place.line) } != true
    }
  }

  /// By file, the lines of a function's declaration, of declarations of functions with its name, and of the references
  /// to them that the index has. In C a name means one function in a file, so all lines of a function that refers to
  /// it are known.
  private func lines(
    of row: FunctionReport, _ join: FunctionJoin
  ) -> [TextBytes: [ClosedRange<Int>]] {
    var lines: [TextBytes: [ClosedRange<Int>]] = [:]
    if let file = row.file {
      lines[file, default: []].append(sources.lines(ofDeclarationIn: file, at: row.line))
    }
    var symbols = Set(namesakes[FunctionJoiner.baseName(row.shortName)] ?? [])
    if case .symbol(let own) = join { symbols.insert(own) }
    var callers: Set<ReferenceIndex.Symbol> = []
    for symbol in symbols {
      for reference in index.references(to: symbol) {
        lines[index.files[reference.file].path, default: []].append(reference.line...reference.line)
        if index.traits[symbol].language == .c {
          reference.container.map { _ = callers.insert($0) }
        }
      }
    }
    for symbol in symbols.union(callers) {
      let hasBody = index.traits[symbol].language == .c
      for place in index.definitions(of: symbol) {
        let file = index.files[place.file].path
        lines[file, default: []].append(
          place.isDeclaration || !hasBody
            ? place.line...place.line : sources.lines(ofDeclarationIn: file, at: place.line))
      }
    }
    return lines
  }
}
