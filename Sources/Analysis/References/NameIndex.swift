import DeadCode
import ReferenceIndex

/// An index of C functions by the names in their source, for builds without a compiler's index. Complete enough to
/// show that nothing which ran refers to a function: each name in code is a reference, and counts as code that may
/// run unless it lies within the body of a function.
///
/// C++ calls constructors, operators and much else without their names, so its functions have no symbols here.
package struct NameIndex {
  private let report: DeadCodeReport
  private var builder = ReferenceIndexBuilder()
  /// The symbols of each name: functions have linker names, and the names of aliases.
  private var symbols: [Substring: Int] = [:]
  /// Lines at which functions are declared, by file, each with the function's symbol.
  private var functions: [String: [(line: Int, symbol: Int)]] = [:]

  /// The functions of each symbol.
  private var rows: [Int: [Int]] = [:]
  private let isLocal: (_ function: FunctionReport) -> Bool
  private let isApart: (_ function: FunctionReport, _ file: String) -> Bool
  /// The symbols that code has, beside their declarations.
  private var mentioned: Set<Int> = []

  private static let traits = IndexSymbolTraits(kind: .function, language: .c)

  /// - Parameters:
  ///   - aliases: other linker names of a piece's address.
  ///   - isLocal: whether the linker keeps the function's name local.
  ///   - isApart: whether a file is compiled without a sight of the function, so that its calls remain calls.
  package init(
    of report: DeadCodeReport, aliases: (FunctionReport.Piece) -> [String],
    isLocal: @escaping (_ function: FunctionReport) -> Bool,
    isApart: @escaping (_ function: FunctionReport, _ file: String) -> Bool
  ) {
    self.report = report
    self.isLocal = isLocal
    self.isApart = isApart
    for (number, row) in report.functions.enumerated() {
      guard let path = row.file, row.line > 0, Self.isOfC(row) else { continue }
      let name = LinkerName.base(row.mangledName)
      guard let symbol = builder.symbol(usr: "l:" + name, name: name, Self.traits) else { continue }
      symbols[name[...]] = symbols[name[...]] ?? symbol
      rows[symbol, default: []].append(number)
      builder.define(symbol, file: builder.file(path, module: ""), line: row.line)
      functions[path, default: []].append((row.line, symbol))
      for other in row.pieces.lazy.flatMap(aliases).map(LinkerName.base) where other != name {
        guard let alias = builder.symbol(usr: "l:" + other, name: other, Self.traits) else {
          continue
        }
        builder.relate(alias, .accessorOf, symbol)
        symbols[other[...]] = alias
        rows[alias, default: []].append(number)
      }
    }
  }

  private static func isOfC(_ row: FunctionReport) -> Bool {
    NamesInSource.isName(LinkerName.base(row.mangledName)[...])
      && !["_Z", "_R", "$s", "$S"].contains(where: row.mangledName.hasPrefix)
  }

  /// Adds all source files of the project, and gives the index.
  ///
  /// - Parameters:
  ///   - text: returns a file's contents; nil if it does not exist.
  ///   - isInDoubt: whether text that cannot be read may name a function.
  package consuming func build(
    _ files: [String], text: (String) -> String?, isInDoubt: (FunctionReport) -> Bool
  ) -> ReferenceIndex {
    let texts = files.compactMap { path in text(path).map { (path, $0) } }
    let pasted = PastedNames(texts.map(\.1))
    let wanted = Set(symbols.keys)
    for (path, text) in texts { add(path, text, wanted) }
    for (name, symbol) in symbols where pasted.mayBe(name) {
      builder.refer(to: symbol, from: nil, file: 0, line: 0)
    }
    for (symbol, rows) in rows {
      // If no text names a local function, something unseen does, such as an option of the compiler: otherwise
      // the binary would not have it.
      let isUnseen = !mentioned.contains(symbol)
      guard
        rows.contains(where: {
          let function = report.functions[$0]
          return isUnseen && isLocal(function) || isInDoubt(function)
        })
      else { continue }
      builder.refer(to: symbol, from: nil, file: 0, line: 0)
    }
    return builder.build()
  }

  private mutating func add(_ path: String, _ text: String, _ wanted: Set<Substring>) {
    let file = builder.file(path, module: "")
    let marks = SourceMarks(text)
    var bodies = FunctionBodies(marks, functions: functions[path] ?? [])
    for use in NamesInSource.all(in: text, of: wanted) where !use.isMacroName {
      guard let symbol = symbols[use.name] else { continue }
      let here = Set(functions[path]?.lazy.filter { $0.line == use.line }.map(\.symbol) ?? [])
      let isItself = here == [symbol]
      let owner = use.isInMacro || isItself || here.count > 1 ? nil : bodies.owner(of: use.line)
      if !use.isInMacro, isItself || owner == nil && here.isEmpty && use.isFileScope {
        guard Self.mayPromiseNoEffect(marks.lines, around: use.line) else { continue }
      } else {
        mentioned.insert(symbol)
        if rows[symbol]?.allSatisfy({ isApart(report.functions[$0], path) }) == true { continue }
      }
      builder.refer(to: symbol, from: owner, file: file, line: use.line)
    }
  }

  /// Whether a declaration may have an attribute that lets callers elsewhere do without a call.
  private static func mayPromiseNoEffect(_ lines: [Substring], around line: Int) -> Bool {
    lines[max(0, line - 4)..<min(lines.count, line + 3)].contains { text in
      let text = text.lowercased()
      return text.contains("pure") || text.contains("_const") || text.contains("(const)")
        || text.contains("gnu::const")
    }
  }
}

/// The functions of a C file, by the lines of their bodies.
private struct FunctionBodies {
  private let marks: SourceMarks
  private let functions: [(line: Int, symbol: Int)]
  /// By place in `functions`: the last line; nil if unclear.
  private var ends: [Int: Int?] = [:]

  init(_ marks: SourceMarks, functions: [(line: Int, symbol: Int)]) {
    self.marks = marks
    self.functions = functions.sorted { $0.line < $1.line }
  }

  /// The symbol of the function whose body has a line.
  mutating func owner(of line: Int) -> Int? {
    guard let place = functions.lastIndex(where: { $0.line <= line }) else { return nil }
    let end = ends[place] ?? end(place)
    ends[place] = end
    return end.map { line <= $0 } == true ? functions[place].symbol : nil
  }

  /// The line of a closing brace is certain if no other body seems to end before it: conditional branches may hide
  /// braces.
  private func end(_ place: Int) -> Int? {
    let start = functions[place].line
    guard let end = marks.lastLine(ofDeclarationAt: start) else { return nil }
    let isSingle = marks.lines[start..<max(start, end - 1)].allSatisfy { $0.first != "}" }
    let isLast = place + 1 == functions.count || functions[place + 1].line > end
    return isSingle && isLast ? end : nil
  }
}
