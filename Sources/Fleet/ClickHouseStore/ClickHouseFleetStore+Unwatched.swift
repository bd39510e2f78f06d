import FirstlightModel
import FleetModel

/// What no guard of a build tells of. It is written before the row of `function_table` with the same tag,
/// and so is complete where that is; a row of `whole_table` says that it was written at all.
extension ClickHouseFleetStore {
  func writeUnwatched(of build: Build, tag: UInt64) async throws(ClickHouseError) {
    let key = BuildKey(buildID: build.buildID, recorder: build.recorder)
    var unguarded = RowWriter()
    for (number, function) in build.unguarded.enumerated() {
      Self.add(function, number: UInt32(number), of: build, tag, to: &unguarded)
    }
    try await insert(unguarded, into: "unguarded", of: key)
    var inlined = RowWriter()
    for (number, function) in build.inlined.enumerated() {
      inlined.begin(tag, key)
      inlined.add(UInt32(number))
      inlined.add(function.name)
      inlined.add(function.demangledName)
      inlined.add(function.module)
      inlined.add(function.file != nil)
      inlined.add(function.file ?? "")
      inlined.add(Int64(function.line))
      inlined.add(function.hasUnwatchedHost)
      inlined.add(array: function.hosts)
      inlined.add(array: function.guards)
    }
    try await insert(inlined, into: "inlined", of: key)
    if build.isOptimised {
      var optimised = RowWriter()
      optimised.begin(tag, key)
      try await insert(optimised, into: "optimised", of: key)
    }
    var whole = RowWriter()
    whole.begin(tag, key)
    try await insert(whole, into: "whole_table", of: key)
  }

  func readUnwatched(
    of key: BuildKey, tag: UInt64, into build: inout Build
  ) async throws(ClickHouseError) {
    let isOfTable = "tag = \(tag) AND \(SQLText.isOf(key))"
    build.unguarded = try await first.read(
      """
      SELECT has_address, address, size, name, aliases, demangled_name, module, has_file, file,
        line, compiler_made, local
      FROM unguarded WHERE \(isOfTable) ORDER BY id
      """
    ) { row throws(Failure) in try Self.function(&row) }
    let guards = UInt32(build.guardCount)
    build.inlined = try await first.read(
      """
      SELECT name, demangled_name, module, has_file, file, line, unwatched_host, hosts, guards
      FROM inlined WHERE \(isOfTable) ORDER BY id
      """
    ) { row throws(Failure) in try Self.inlined(&row, guards: guards) }
    build.isOptimised =
      try await first.read("SELECT count() FROM optimised WHERE \(isOfTable)") {
        row throws(Failure) in try row.number(UInt64.self)
      }.first ?? 0 > 0
  }

  private static func inlined(
    _ row: inout RowReader, guards: UInt32
  ) throws(Failure) -> InlinedFunction {
    let (name, demangledName, module) = (try row.text(), try row.text(), try row.text())
    let (hasFile, file) = (try row.bool(), try row.text())
    var function = InlinedFunction(
      name: name, demangledName: demangledName, module: module, file: hasFile ? file : nil,
      line: try row.number(Int64.self), hosts: [], hasUnwatchedHost: try row.bool(), guards: [])
    function.hosts = try row.integers(UInt32.self)
    function.guards = try row.integers(UInt32.self)
    guard (function.hosts + function.guards).allSatisfy({ $0 < guards }) else {
      throw Failure(.data, "damaged ClickHouse store: copies of \(name)")
    }
    return function
  }
}
