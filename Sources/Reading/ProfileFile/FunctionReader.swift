import FirstlightModel
import SystemSupport

/// Reads the functions of a profile's builds, and before them the names, modules and files that they share.
struct FunctionReader {
  private let profile: ProfileReader
  private let names: [FunctionNames]
  private let files: [String]

  init(_ profile: ProfileReader) throws {
    self.profile = profile
    files = try Self.texts("SELECT id, path FROM file ORDER BY id", of: profile)
    let modules = try Self.texts("SELECT id, name FROM module ORDER BY id", of: profile)
    let demangled = try DemangledNames.read(in: profile.database)
    var names: [FunctionNames] = []
    names.reserveCapacity(demangled.count)
    var rows = try RowReading(
      sql: "SELECT id, name, module FROM name ORDER BY id", in: profile.database)
    while try rows.next() {
      let module = try rows.number(2)
      guard try rows.number(0) == names.count, module < modules.count else {
        throw profile.damaged("name \(names.count)")
      }
      guard names.count < demangled.count else { throw DamagedNames() }
      let linker = try rows.text(1)
      let readable = demangled[names.count]
      names.append(
        FunctionNames(
          linker: linker, readable: readable.isEmpty ? linker : readable, module: modules[module]))
    }
    self.names = names
  }

  /// The texts of a table, whose rows have numbers from 0 on.
  private static func texts(_ sql: String, of profile: ProfileReader) throws -> [String] {
    var texts: [String] = []
    var rows = try RowReading(sql: sql, in: profile.database)
    while try rows.next() {
      guard try rows.number(0) == texts.count else {
        throw profile.damaged("text \(texts.count)")
      }
      texts.append(try rows.text(1))
    }
    return texts
  }

  /// - Parameter id: the number of the build's row.
  func read(of id: Int, countedRuns: Int, into build: inout Build) throws {
    var rows = try RowReading(
      FunctionColumn.self, "WHERE build = ? ORDER BY id", build: id, in: profile.database)
    // Of the next function without a guard.
    var next = build.guardCount
    while try rows.next() {
      let function = try function(rows, guardCount: build.guardCount, next: next)
      if !function.isGuarded { next += 1 }
      build.functions.append(function)
    }
    let lists = Lists(profile, id: id, guarded: build.guarded.count)
    try lists.readAliases(into: &build)
    try lists.readCopies(into: &build)
    try lists.readCounters(runs: countedRuns, into: &build)
  }

  private func function(_ row: RowReading, guardCount: Int, next: Int) throws -> Function {
    typealias Column = FunctionColumn
    let id = try row.number(Column.id)
    let name = try row.number(Column.name)
    let file = try row.optionalInteger(Column.file)
    guard let code = FunctionCode(rawValue: try row.number(Column.code)),
      (code == .guarded) == (id < guardCount), code == .guarded || id == next,
      names.indices.contains(name), file.map({ files.indices.contains(Int($0)) }) ?? true
    else { throw profile.damaged("function \(id)") }
    let address = try row.optionalInteger(Column.address).map { UInt64(bitPattern: $0) }
    let size = UInt64(try row.number(Column.size))
    guard (address ?? 0) <= .max - size else {
      throw profile.damaged("address of \(names[name].linker)")
    }
    return try Function(
      code: Self.code(code, guard: UInt32(id)), address: address, size: size, names: names[name],
      file: file.map { files[Int($0)] }, line: row.number(Column.line),
      isCompilerGenerated: row.isTrue(Column.compilerGenerated), isLocal: row.isTrue(Column.local))
  }

  private static func code(_ code: FunctionCode, guard index: UInt32) -> Function.Code {
    switch code {
    case .guarded: .guarded(index)
    case .unguarded: .unguarded
    case .copies: .copies(of: [], unknownHost: false)
    case .copiesInUnknownHost: .copies(of: [], unknownHost: true)
    case .counted: .counted(GuardCoverage())
    }
  }
}

/// What functions of a build have any number of.
private struct Lists {
  let profile: ProfileReader
  /// The number of the build's row.
  let id: Int
  /// The number of its functions with a guard.
  let guarded: Int

  init(_ profile: ProfileReader, id: Int, guarded: Int) {
    (self.profile, self.id, self.guarded) = (profile, id, guarded)
  }

  private func index(of function: Int, in build: Build) throws -> Int {
    let index =
      function < build.guardCount
      ? build.function(ofGuard: UInt32(function)) : guarded + (function - build.guardCount)
    guard let index, build.functions.indices.contains(index) else {
      throw profile.damaged("function \(function) of build \(id)")
    }
    return index
  }

  func readAliases(into build: inout Build) throws {
    var rows = try RowReading(
      sql: "SELECT function, name FROM alias WHERE build = ?", build: id, in: profile.database)
    while try rows.next() {
      let index = try index(of: rows.number(0), in: build)
      build.functions[index].aliases.append(try rows.text(1))
    }
  }

  func readCopies(into build: inout Build) throws {
    var rows = try RowReading(
      sql: "SELECT function, guard FROM copy WHERE build = ? ORDER BY function, guard",
      build: id, in: profile.database)
    while try rows.next() {
      let index = try index(of: rows.number(0), in: build)
      let host = try rows.number(1)
      guard case .copies(var hosts, let unknownHost) = build.functions[index].code,
        (0..<build.guardCount).contains(host)
      else { throw profile.damaged("copy of function \(index) of build \(id)") }
      // So that the list is not copied each time.
      build.functions[index].code = .unguarded
      hosts.append(UInt32(host))
      build.functions[index].code = .copies(of: hosts, unknownHost: unknownHost)
    }
  }

  func readCounters(runs: Int, into build: inout Build) throws {
    guard (runs > 0) == build.functions.contains(where: \.isCounted),
      build.functions.allSatisfy({ !$0.isCounted || $0.file != nil })
    else { throw profile.damaged("counters of build \(id)") }
    var rows = try RowReading(
      CounterColumn.self, "WHERE build = ?", build: id, in: profile.database)
    while try rows.next() {
      let index = try index(of: rows.number(CounterColumn.function), in: build)
      let seen = try rows.coverage(from: CounterColumn.runs)
      guard build.functions[index].isCounted, seen.isCalled, seen.runs <= runs else {
        throw profile.damaged("counter of function \(index) of build \(id)")
      }
      build.functions[index].counted = seen
    }
  }
}
