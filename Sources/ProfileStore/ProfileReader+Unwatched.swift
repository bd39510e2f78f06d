import FirstlightModel
import GRDB

extension ProfileReader {
  /// Reads what no guard tells of. Profiles of older versions have no such tables.
  func readUnwatched(of id: Int, files: [String], into build: inout Build) throws {
    guard try database.tableExists("unguarded"), try database.tableExists("inlined"),
      try database.tableExists("inlined_at")
    else { return }
    if try database.tableExists("optimised") {
      build.isOptimised =
        try Row.fetchOne(
          database, sql: "SELECT build FROM optimised WHERE build = ?", arguments: [id]) != nil
    }
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT address, size, name, demangled_name, module, file, line, compiler_made, local
        FROM unguarded WHERE build = ? ORDER BY id
        """, arguments: [id])
    while let row = try rows.next() {
      let address: Int64? = try row.optionalValue(0)
      let name: String = try row.value(2)
      let demangledName: String? = try row.optionalValue(3)
      let file = try path(row.optionalValue(5), files)
      build.unguarded.append(
        try Function(
          address: address.map { UInt64(bitPattern: $0) },
          size: UInt64(bitPattern: row.value(1) as Int64), name: name,
          demangledName: demangledName ?? name, module: row.value(4), file: file,
          line: row.value(6), isCompilerMade: row.value(7), isLocal: row.value(8)))
    }
    try readInlined(of: id, files: files, into: &build)
  }

  private func readInlined(of id: Int, files: [String], into build: inout Build) throws {
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT name, demangled_name, module, file, line, unwatched_host, id
        FROM inlined WHERE build = ? ORDER BY id
        """, arguments: [id])
    while let row = try rows.next() {
      let name: String = try row.value(0)
      let demangledName: String? = try row.optionalValue(1)
      guard build.inlined.count == (try row.value(6) as Int) else {
        throw damaged("inlined function \(build.inlined.count) of build \(id)")
      }
      build.inlined.append(
        try InlinedFunction(
          name: name, demangledName: demangledName ?? name, module: row.value(2),
          file: path(row.optionalValue(3), files), line: row.value(4), hosts: [],
          hasUnwatchedHost: row.value(5), guards: []))
    }
    let places = try Row.fetchCursor(
      database,
      sql: "SELECT id, guard, is_within FROM inlined_at WHERE build = ? ORDER BY id, guard",
      arguments: [id])
    while let row = try places.next() {
      let index: Int = try row.value(0)
      let guardIndex: Int = try row.value(1)
      guard build.inlined.indices.contains(index), (0..<build.guardCount).contains(guardIndex)
      else { throw damaged("inlined copy \(index) of build \(id)") }
      if try row.value(2) {
        build.inlined[index].guards.append(UInt32(guardIndex))
      } else {
        build.inlined[index].hosts.append(UInt32(guardIndex))
      }
    }
  }

  private func path(_ number: Int?, _ files: [String]) throws -> String? {
    guard let number else { return nil }
    guard files.indices.contains(number) else { throw damaged("file \(number)") }
    return files[number]
  }
}
