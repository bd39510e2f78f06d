import FirstlightModel
import GRDB
import SQLiteSupport

extension ProfileReader {
  /// Reads the functions that no guard covers. Profiles of older versions have no such tables.
  package func readUnwatched(of id: Int, files: [String], into build: inout Build) throws {
    guard try database.tableExists("unguarded"), try database.tableExists("inlined"),
      try database.tableExists("inlined_at")
    else { return }
    if try database.tableExists("optimised") {
      build.isOptimised =
        try Row.fetchOne(
          database, sql: "SELECT build FROM optimised WHERE build = ?", arguments: [id]) != nil
    }
    var rows = try RowReading(
      sql: """
        SELECT id, address, size, name, demangled_name, module, file, line,
          \(try compilerGenerated(in: "unguarded")), local
        FROM unguarded WHERE build = ? ORDER BY id
        """, build: id, in: database)
    while try rows.next() { build.unguarded.append(try function(&rows, files: files)) }
    try readInlined(of: id, files: files, into: &build)
  }

  private func readInlined(of id: Int, files: [String], into build: inout Build) throws {
    var rows = try RowReading(
      sql: """
        SELECT name, demangled_name, module, file, line, unwatched_host, id
        FROM inlined WHERE build = ? ORDER BY id
        """, build: id, in: database)
    while try rows.next() {
      let name = try rows.text(0)
      guard build.inlined.count == (try rows.number(6)) else {
        throw damaged("inlined function \(build.inlined.count) of build \(id)")
      }
      build.inlined.append(
        try InlinedFunction(
          name: name, demangledName: rows.optionalText(1) ?? name, module: rows.repeatedText(2),
          file: path(rows.optionalInteger(3), files), line: rows.number(4), hosts: [],
          hasUnwatchedHost: rows.isTrue(5), guards: []))
    }
    var places = try RowReading(
      sql: "SELECT id, guard, is_within FROM inlined_at WHERE build = ? ORDER BY id, guard",
      build: id, in: database)
    while try places.next() {
      let index = try places.number(0)
      let guardIndex = try places.number(1)
      guard build.inlined.indices.contains(index), (0..<build.guardCount).contains(guardIndex)
      else { throw damaged("inlined copy \(index) of build \(id)") }
      if try places.isTrue(2) {
        build.inlined[index].guards.append(UInt32(guardIndex))
      } else {
        build.inlined[index].hosts.append(UInt32(guardIndex))
      }
    }
  }
}
