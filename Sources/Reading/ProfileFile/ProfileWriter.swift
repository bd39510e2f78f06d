import FirstlightModel
import Foundation
import GRDB
import GRDBSQLite
import SQLiteSupport
import TextFormatting

/// Writes the rows of a profile into a new file.
package enum ProfileWriter {
  package static func write(_ profile: Profile, to path: String) throws {
    try queue(of: profile, at: path).close()
  }

  /// The contents of the file, made in memory.
  package static func bytes(of profile: Profile) throws -> [UInt8] {
    let queue = try queue(of: profile, at: ":memory:")
    let bytes = try queue.read { database -> [UInt8] in
      var size: Int64 = 0
      // The caller must free this memory; NULL if there is not enough.
      guard let start = sqlite3_serialize(database.sqliteConnection, "main", &size, 0) else {
        throw DatabaseError(resultCode: .SQLITE_NOMEM)
      }
      defer { sqlite3_free(start) }
      return Array(UnsafeBufferPointer(start: start, count: Int(size)))
    }
    try queue.close()
    return bytes
  }

  private static func queue(of profile: Profile, at path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    let functions = profile.builds.reduce(0) { $0 + $1.build.functions.count }
    // Large pages need fewer steps, but waste more of a small file.
    let pageSize = functions > 10_000 ? 32_768 : 4096
    // The file gets its final name only when complete, so nothing here must survive a crash. Every
    // row refers only to earlier rows.
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase {
      try $0.execute(
        sql: """
          PRAGMA page_size = \(pageSize); PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF
          """)
    }
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.writeWithoutTransaction { database in
      try database.inTransaction {
        try ProfileSchema.create(in: database)
        try writeBuilds(profile.builds, in: database)
        try writeRuns(profile, in: database)
        try write(profile.unlisted, in: database)
        return .commit
      }
    }
    return queue
  }

  private static func writeBuilds(_ builds: [RecordedBuild], in database: Database) throws {
    var files: [String: Int64] = [:]
    for (id, recorded) in builds.enumerated() {
      let build = recorded.build
      try database.execute(
        sql: "INSERT INTO build VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        arguments: [
          id, build.buildID.description, build.recorder.rawValue, build.path, build.kind.rawValue,
          build.architecture, build.guardCount, build.hasSymbols, build.hasDebugInfo, recorded.runs,
        ])
      if build.isOptimised {
        try database.execute(sql: "INSERT INTO optimised VALUES (?)", arguments: [id])
      }
      try writeFunctions(of: build, id: id, files: &files, in: database)
      try writeCoverage(recorded, id: id, in: database)
      try write(recorded.counters, id: id, files: &files, in: database)
    }
  }

  private static func write(
    _ counters: SourceCounters, id: Int, files: inout [String: Int64], in database: Database
  ) throws {
    guard !counters.isEmpty else { return }
    try database.execute(
      sql: "INSERT INTO counted VALUES (?, ?)", arguments: [id, counters.runs])
    var rows = try RowInsertion(into: "counter", columns: 11, in: database)
    for (index, function) in counters.functions.enumerated() {
      if files[function.file] == nil {
        try database.execute(
          sql: "INSERT INTO file VALUES (?, ?)", arguments: [files.count, function.file])
        files[function.file] = Int64(files.count)
      }
      rows.add(id)
      rows.add(index)
      rows.add(function.name)
      rows.add(function.demangledName == function.name ? nil : function.demangledName)
      rows.add(function.module)
      rows.add(files[function.file])
      rows.add(function.line)
      rows.add(function.isLocal)
      rows.add(function.seen.runs)
      rows.add(function.seen.firstSeen)
      rows.add(function.seen.lastSeen)
      try rows.insert()
    }
  }

  /// Writes the rows of a build's functions. `files` has the ids of source files that have rows;
  /// its count is the next id.
  package static func writeFunctions(
    of build: Build, id: Int, files: inout [String: Int64], in database: Database
  ) throws {
    var fileRows = try RowInsertion(into: "file", columns: 2, in: database)
    var aliases = try RowInsertion(into: "alias", columns: 3, in: database)
    // Neighbouring functions often share a file.
    var last: (path: String, number: Int64)?
    func number(of path: String?) throws -> Int64? {
      guard let path else { return nil }
      if let last, last.path == path { return last.number }
      if let known = files[path] {
        last = (path, known)
        return known
      }
      let number = Int64(files.count)
      files[path] = number
      fileRows.add(number)
      fileRows.add(path)
      try fileRows.insert()
      return number
    }
    func add(_ function: Function, number index: Int64, to rows: inout RowInsertion) throws {
      let file = try number(of: function.file)
      rows.add(id)
      rows.add(index)
      rows.add(function.address.map { Int64(bitPattern: $0) })
      rows.add(Int64(bitPattern: function.size))
      rows.add(function.name)
      rows.add(function.demangledName == function.name ? nil : function.demangledName)
      rows.add(function.module)
      rows.add(file)
      rows.add(function.line)
      rows.add(function.isCompilerGenerated)
      rows.add(function.isLocal)
      try rows.insert()
    }
    var rows = try RowInsertion(into: "function", columns: 11, in: database)
    for (function, guardIndex) in zip(build.functions, build.entryGuards) {
      try add(function, number: Int64(guardIndex), to: &rows)
      for alias in function.aliases {
        aliases.add(id)
        aliases.add(Int64(guardIndex))
        aliases.add(alias)
        try aliases.insert()
      }
    }
    var unguarded = try RowInsertion(into: "unguarded", columns: 11, in: database)
    for (index, function) in build.unguarded.enumerated() {
      try add(function, number: Int64(index), to: &unguarded)
    }
    var inlined = try RowInsertion(into: "inlined", columns: 8, in: database)
    var places = try RowInsertion(into: "inlined_at", columns: 4, in: database)
    for (index, function) in build.inlined.enumerated() {
      inlined.add(id)
      inlined.add(index)
      inlined.add(function.name)
      inlined.add(function.demangledName == function.name ? nil : function.demangledName)
      inlined.add(function.module)
      inlined.add(try number(of: function.file))
      inlined.add(function.line)
      inlined.add(function.hasUnwatchedHost)
      try inlined.insert()
      for (guards, isWithin) in [(function.hosts, false), (function.guards, true)] {
        for guardIndex in guards {
          places.add(id)
          places.add(index)
          places.add(Int64(guardIndex))
          places.add(isWithin)
          try places.insert()
        }
      }
    }
  }

  private static func writeCoverage(
    _ recorded: RecordedBuild, id: Int, in database: Database
  ) throws {
    var rows = try RowInsertion(into: "coverage", columns: 5, in: database)
    for (guardIndex, seen) in recorded.coverage.enumerated() where seen.isCalled {
      rows.add(id)
      rows.add(guardIndex)
      rows.add(seen.runs)
      rows.add(seen.firstSeen)
      rows.add(seen.lastSeen)
      try rows.insert()
    }
    let insertBody = try database.makeStatement(sql: "INSERT INTO merged_body VALUES (?, ?, ?)")
    for (guardIndex, name) in recorded.mergedBodies.sorted(by: { $0.key < $1.key }) {
      try insertBody.execute(arguments: [id, Int64(guardIndex), name])
    }
    var unwatched = try RowInsertion(into: "unwatched", columns: 3, in: database)
    for guardIndex in recorded.withoutStart.union(recorded.unwatched).sorted() {
      unwatched.add(id)
      unwatched.add(Int64(guardIndex))
      unwatched.add(!recorded.unwatched.contains(guardIndex))
      try unwatched.insert()
    }
    let insertSource = try database.makeStatement(sql: "INSERT INTO source VALUES (?, ?, ?)")
    for (path, digest) in recorded.sources.sorted(by: { $0.key < $1.key }) {
      try insertSource.execute(arguments: [id, path, Int64(bitPattern: digest)])
    }
  }

  private static func writeRuns(_ profile: Profile, in database: Database) throws {
    for run in profile.runs {
      try database.execute(
        sql: "INSERT INTO run VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        arguments: [
          run.id, JSONForm.compact(run.command), run.host.name, run.host.kernel,
          run.host.architecture, run.host.processor, run.host.cores, run.startedAt, run.endedAt,
          run.ending.status, run.ending.signal, run.ending.words, JSONForm.compact(run.problems),
          run.attachment?.rawValue,
        ])
    }
    for process in profile.processes {
      guard process.returns.isEmpty || process.returns.count == process.calls.count else {
        throw Failure(
          .data,
          "process \(process.pid) has \(process.returns.count) returns of \(process.calls.count) calls"
        )
      }
      let returns = ReturnsBlob.encode(process.returns)
      try database.execute(
        sql:
          "INSERT INTO process VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        arguments: [
          process.run, process.id, Int64(process.pid), Int64(process.parentPID),
          process.forkedFrom, process.path, JSONForm.compact(process.arguments), process.startedAt,
          process.readyAfter, process.losses.drops, process.losses.uncommitted,
          process.losses.lostImages, process.losses.unreadableSegments, process.callCount,
          process.isTraceLeftOut ? Data() : Data(TraceBlob.encode(process.calls)),
          returns.isEmpty ? nil : Data(returns), process.launch.map(JSONForm.compact),
          process.isTraceLeftOut, process.losses.unrecordedProcesses,
          process.losses.runningProcesses,
        ])
      try writeMarks(of: process, in: database)
    }
  }
}

extension ProfileWriter {
  fileprivate static func write(_ unlisted: UnlistedRuns, in database: Database) throws {
    guard unlisted != UnlistedRuns() else { return }
    let losses = unlisted.losses
    try database.execute(
      sql: "INSERT INTO unlisted VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      arguments: [
        unlisted.runs, unlisted.processes, unlisted.seconds, losses.drops, losses.uncommitted,
        losses.lostImages, losses.unreadableSegments, losses.unrecordedProcesses,
        losses.runningProcesses, unlisted.windows, unlisted.windowSeconds,
      ])
  }
}

/// A list of strings in one column, as JSON, so that SQLite's own functions can parse it.
enum JSONText {
  static func strings(_ text: String) -> [String]? {
    try? JSONDecoder().decode([String].self, from: Data(text.utf8))
  }
}

extension ProfileWriter {
  static func writeMarks(of process: RecordedProcess, in database: Database) throws {
    guard !process.marks.isEmpty else { return }
    var rows = try RowInsertion(into: "mark", columns: 8, in: database)
    for (id, mark) in process.marks.enumerated() {
      rows.add(process.run)
      rows.add(process.id)
      rows.add(id)
      switch mark.kind {
      case .mark: rows.add("mark")
      case .span: rows.add("span")
      }
      rows.add(mark.name)
      rows.add(Int64(mark.thread))
      rows.add(Int64(clamping: mark.time))
      switch mark.kind {
      case .mark: rows.add(nil as Int64?)
      case .span(let duration): rows.add(duration.map { Int64(clamping: $0) })
      }
      try rows.insert()
    }
  }
}
