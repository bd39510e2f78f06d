import FirstlightModel

/// Writes the functions of a profile's builds: a row for each, and each name, module and file once.
struct FunctionWriter {
  private let database: OpaquePointer
  private var functions: RowInsertion
  private var counters: RowInsertion
  private var aliases: RowInsertion
  private var copies: RowInsertion
  private var names: RowInsertion
  private var nameNumbers: [FunctionNames: Int] = [:]
  private var modules: SharedRows
  private var files: SharedRows
  private var demangled = DemangledNames.Writer()

  init(in database: OpaquePointer) throws {
    self.database = database
    functions = try RowInsertion(into: FunctionColumn.self, keepsKnown: true, in: database)
    counters = try RowInsertion(into: CounterColumn.self, keepsKnown: true, in: database)
    aliases = try RowInsertion(into: "alias", columns: 3, keepsKnown: true, in: database)
    copies = try RowInsertion(into: "copy", columns: 3, keepsKnown: true, in: database)
    names = try RowInsertion(into: "name", columns: 3, in: database)
    modules = try SharedRows(of: "module", in: database)
    files = try SharedRows(of: "file", in: database)
  }

  /// Writes the readable names. Nothing may follow.
  mutating func finish() throws {
    try demangled.write(in: database)
  }

  /// - Parameter number: that of the build's row.
  mutating func write(_ build: Build, id number: Int) throws {
    var next = build.guardCount
    for function in build.functions {
      let id = function.guardIndex.map(Int.init) ?? next
      if !function.isGuarded { next += 1 }
      try write(function, id: id, of: number)
      for alias in function.aliases {
        aliases.add(number)
        aliases.add(id)
        aliases.add(alias)
        try aliases.insert()
      }
    }
  }

  private mutating func write(_ function: Function, id: Int, of build: Int) throws {
    typealias Column = FunctionColumn
    let name = try number(of: function.names)
    let file = try function.file.map { try files.number(of: $0) }
    functions.set(Column.build, build)
    functions.set(Column.id, id)
    functions.set(Column.code, try code(of: function, id: id, of: build).rawValue)
    functions.set(Column.name, name)
    functions.set(Column.address, function.address.map { Int64(bitPattern: $0) })
    functions.set(Column.size, Int64(bitPattern: function.size))
    functions.set(Column.file, file.map(Int64.init))
    functions.set(Column.line, function.line)
    functions.set(Column.compilerGenerated, function.isCompilerGenerated)
    functions.set(Column.local, function.isLocal)
    try functions.insert()
  }

  /// Writes what only functions with this kind of code have.
  private mutating func code(
    of function: Function, id: Int, of build: Int
  ) throws -> FunctionCode {
    switch function.code {
    case .guarded: return .guarded
    case .unguarded, .dropped: return .unguarded
    case .copies(let hosts, let unknownHost):
      for host in hosts {
        copies.add(build)
        copies.add(id)
        copies.add(Int64(host))
        try copies.insert()
      }
      return unknownHost ? .copiesInUnknownHost : .copies
    case .counted(let seen):
      typealias Column = CounterColumn
      guard seen.isCalled else { return .counted }
      counters.set(Column.build, build)
      counters.set(Column.function, id)
      counters.set(Column.runs, seen.runs)
      counters.set(Column.firstSeen, seen.firstSeen)
      counters.set(Column.lastSeen, seen.lastSeen)
      try counters.insert()
      return .counted
    }
  }

  private mutating func number(of name: FunctionNames) throws -> Int {
    if let known = nameNumbers[name] { return known }
    let number = nameNumbers.count
    names.add(number)
    names.add(name.linker)
    names.add(try modules.number(of: name.module))
    try names.insert()
    demangled.add(name.readable == name.linker ? "" : name.readable)
    nameNumbers[name] = number
    return number
  }
}

/// A table of texts that many rows share: the number and the text of each.
private struct SharedRows {
  private var rows: RowInsertion
  private var numbers: [TextBytes: Int] = [:]
  /// Neighbours often share a text.
  private var last: (text: String, number: Int)?

  init(of table: String, in database: OpaquePointer) throws {
    rows = try RowInsertion(into: table, columns: 2, in: database)
  }

  mutating func number(of text: String) throws -> Int {
    if let last, last.text == text { return last.number }
    let number = numbers[text] ?? numbers.count
    if number == numbers.count {
      numbers[text] = number
      rows.add(number)
      rows.add(text)
      try rows.insert()
    }
    last = (text, number)
    return number
  }
}
