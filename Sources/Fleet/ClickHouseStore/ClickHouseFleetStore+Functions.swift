import FirstlightModel
import FleetModel

/// Function tables. They are not part of the log: a table is there when its row of `function_table`
/// is, which is written last, and of several the best counts.
extension ClickHouseFleetStore {
  package func register(_ table: FunctionTable, isTrusted: Bool) async throws {
    let build = table.build
    let key = table.key
    let known = try await consistently { state in
      try await self.guardCounts(of: [key], in: state)[key]
    }
    guard known == nil || known == build.guardCount || (isTrusted && build.guardCount > 0) else {
      throw Failure(
        .data,
        "\(build.path): has \(build.guardCount) guards, traces of build \(build.buildID.short) "
          + "have \(known ?? 0)", advice: "send the file that ran, not a later build")
    }
    try await run { () async throws in
      if let best = try await self.tables(of: key).first,
        !Self.isBetter(build, functions: build.functions.count, isWhole: true, than: best)
      {
        return
      }
      let attempt = WriteTag(at: self.tuning.now())
      try await self.insert(
        Self.functionRows(build, attempt.tag), into: "function", of: key)
      try await self.writeUnwatched(of: build, tag: attempt.tag)
      // Its row says that all the others are there.
      try await self.copied(attempt.tag)
      try await self.insert(Self.tableRow(table, attempt.tag), into: "function_table", of: key)
      try await self.copied(attempt.tag)
    }
  }

  package func functionTable(of build: BuildKey) async throws -> FunctionTable? {
    try await run(allowingGaps: true) { () async throws in
      guard let stored = try await self.tables(of: build).first else { return nil }
      var table = stored.table
      let functions = try await self.first.read(
        """
        SELECT guard, has_address, address, size, name, aliases, demangled_name, module, has_file,
          file, line, compiler_made, local
        FROM function WHERE tag = \(stored.tag) AND \(SQLText.isOf(build)) ORDER BY guard
        """
      ) { row throws(Failure) in (try row.integer(UInt32.self), try Self.function(&row)) }
      table.build.entryGuards = functions.map(\.0)
      table.build.functions = functions.map(\.1)
      try await self.readUnwatched(of: build, tag: stored.tag, into: &table.build)
      return table
    }
  }

  /// A function table without its functions.
  private struct Stored {
    var tag: UInt64
    var functions: Int
    /// Whether what no guard tells of is there as well.
    var isWhole: Bool
    var table: FunctionTable

    func isBetter(than other: Stored) -> Bool {
      ClickHouseFleetStore.isBetter(
        table.build, functions: functions, isWhole: isWhole, than: other)
    }
  }

  private static func isBetter(
    _ build: Build, functions: Int, isWhole: Bool, than other: Stored
  ) -> Bool {
    let known = other.table.build
    if functions != other.functions { return functions > other.functions }
    if build.hasSymbols != known.hasSymbols { return build.hasSymbols }
    if build.hasDebugInfo != known.hasDebugInfo { return build.hasDebugInfo }
    if isWhole != other.isWhole { return isWhole }
    return build.path < known.path
  }

  /// The best first.
  private func tables(of key: BuildKey) async throws(ClickHouseError) -> [Stored] {
    let whole = try await wholeTables(SQLText.isOf(key))
    let tables = try await first.read(
      """
      SELECT tag, path, executable, guards, architecture, has_symbols, has_debug_info, functions,
        body_address, body_size, body_name
      FROM function_table WHERE \(SQLText.isOf(key))
      """
    ) { row throws(Failure) in
      let tag = try row.integer(UInt64.self)
      var build = Build(
        buildID: key.buildID, path: try row.text(), kind: .sharedLibrary, architecture: "",
        hasSymbols: false, hasDebugInfo: false, functions: [], entryGuards: [], guardCount: 0,
        recorder: key.recorder)
      build.kind = try row.bool() ? .executable : .sharedLibrary
      build.guardCount = try row.number(UInt32.self)
      build.architecture = try row.text()
      build.hasSymbols = try row.bool()
      build.hasDebugInfo = try row.bool()
      let functions = try row.number(UInt32.self)
      let addresses = try row.integers(UInt64.self)
      let sizes = try row.integers(UInt64.self)
      let names = try row.texts()
      let bodies = zip(addresses, zip(sizes, names)).map {
        CodeBody(address: $0, size: $1.0, name: $1.1)
      }
      return Stored(
        tag: tag, functions: functions, isWhole: whole[tag] != nil,
        table: FunctionTable(build: build, bodies: bodies))
    }
    return tables.sorted { first, second in
      if first.isBetter(than: second) { return true }
      if second.isBetter(than: first) { return false }
      return first.tag < second.tag
    }
  }

  /// The builds of those function tables that lack nothing, by tag.
  func wholeTables(_ condition: String) async throws(ClickHouseError) -> [UInt64: BuildKey] {
    let rows = try await first.read(
      "SELECT tag, build_id, recorder FROM whole_table WHERE \(condition)"
    ) { row throws(Failure) in (try row.integer(UInt64.self), try row.build()) }
    return Dictionary(rows) { first, _ in first }
  }

  static func function(_ row: inout RowReader) throws(Failure) -> Function {
    let hasAddress = try row.bool()
    let address = try row.integer(UInt64.self)
    var function = Function(
      address: hasAddress ? address : nil, size: try row.integer(), name: try row.text(),
      aliases: try row.texts(), demangledName: try row.text(), module: try row.text(), file: nil,
      line: 0, isCompilerGenerated: false, isLocal: false)
    let hasFile = try row.bool()
    let file = try row.text()
    function.file = hasFile ? file : nil
    function.line = try row.number(Int64.self)
    function.isCompilerGenerated = try row.bool()
    function.isLocal = try row.bool()
    return function
  }

  private static func functionRows(_ build: Build, _ tag: UInt64) -> RowWriter {
    var rows = RowWriter()
    for (guardIndex, function) in zip(build.entryGuards, build.functions) {
      add(function, number: guardIndex, of: build, tag, to: &rows)
    }
    return rows
  }

  static func add(
    _ function: Function, number: UInt32, of build: Build, _ tag: UInt64, to rows: inout RowWriter
  ) {
    rows.begin(tag, BuildKey(buildID: build.buildID, recorder: build.recorder))
    rows.add(number)
    rows.add(function.address != nil)
    rows.add(function.address ?? 0)
    rows.add(function.size)
    rows.add(function.name)
    rows.add(array: function.aliases)
    rows.add(function.demangledName)
    rows.add(function.module)
    rows.add(function.file != nil)
    rows.add(function.file ?? "")
    rows.add(Int64(function.line))
    rows.add(function.isCompilerGenerated)
    rows.add(function.isLocal)
  }

  private static func tableRow(_ table: FunctionTable, _ tag: UInt64) -> RowWriter {
    let build = table.build
    var rows = RowWriter()
    rows.row()
    rows.add(tag)
    rows.add(build.buildID.description)
    rows.add(build.recorder.rawValue)
    rows.add(build.name)
    rows.add(build.path)
    rows.add(build.kind == .executable)
    rows.add(UInt32(build.guardCount))
    rows.add(build.architecture)
    rows.add(build.hasSymbols)
    rows.add(build.hasDebugInfo)
    rows.add(UInt32(build.functions.count))
    rows.add(array: table.bodies.map(\.address))
    rows.add(array: table.bodies.map(\.size))
    rows.add(array: table.bodies.map(\.name))
    return rows
  }
}
