import FirstlightModel
import Foundation
import SystemSupport

/// Writes the rows of a profile into a new database.
enum ProfileWriter {
  static func database(of profile: Profile) throws -> ProfileDatabase {
    let functions = profile.builds.reduce(0) { $0 + $1.build.guarded.count }
    // Large pages need fewer steps, but waste more of a small file.
    let pageSize = functions > 10_000 ? 32_768 : 4096
    // Every row refers only to earlier rows.
    let connection = try ProfileDatabase()
    try connection.execute("PRAGMA page_size = \(pageSize); PRAGMA journal_mode = OFF; BEGIN")
    try ProfileSchema.create(in: connection)
    try withExtendedLifetime(connection) {
      try writeBuilds(profile.builds, in: connection.pointer)
      try writeRuns(profile, in: connection.pointer)
      try write(profile.unlisted, in: connection.pointer)
    }
    try connection.execute("COMMIT")
    // SQLite leaves a tenth of each page empty, where later rows would fit in.
    if functions > 10_000 { try connection.execute("VACUUM") }
    return connection
  }

  private static func writeBuilds(_ builds: [RecordedBuild], in database: OpaquePointer) throws {
    typealias Column = BuildColumn
    var rows = try RowInsertion(into: Column.self, in: database)
    var functions = try FunctionWriter(in: database)
    for (id, recorded) in builds.enumerated() {
      let build = recorded.build
      rows.set(Column.id, id)
      rows.set(Column.buildID, build.buildID.description)
      rows.set(Column.recorder, build.recorder.rawValue)
      rows.set(Column.path, build.path)
      rows.set(Column.kind, build.kind.rawValue)
      rows.set(Column.architecture, build.architecture)
      rows.set(Column.guards, build.guardCount)
      rows.set(Column.hasSymbols, build.hasSymbols)
      rows.set(Column.hasDebugInfo, build.hasDebugInfo)
      rows.set(Column.optimised, build.isOptimised)
      rows.set(Column.runs, recorded.runs)
      rows.set(Column.countedRuns, recorded.countedRuns)
      try rows.insert()
      try functions.write(build, id: id)
      try writeCoverage(recorded, id: id, in: database)
    }
    try functions.finish()
  }

  private static func writeCoverage(
    _ recorded: RecordedBuild, id: Int, in database: OpaquePointer
  ) throws {
    typealias Column = CoverageColumn
    var rows = try RowInsertion(into: Column.self, keepsKnown: true, in: database)
    for (guardIndex, seen) in recorded.coverage.enumerated() where seen.isCalled {
      rows.set(Column.build, id)
      rows.set(Column.guard, guardIndex)
      rows.set(Column.runs, seen.runs)
      rows.set(Column.firstSeen, seen.firstSeen)
      rows.set(Column.lastSeen, seen.lastSeen)
      try rows.insert()
    }
    var bodies = try RowInsertion(into: "merged_body", columns: 3, in: database)
    for (guardIndex, name) in recorded.mergedBodies.sorted(by: { $0.key < $1.key }) {
      bodies.add(id)
      bodies.add(Int64(guardIndex))
      bodies.add(name)
      try bodies.insert()
    }
    var unwatched = try RowInsertion(into: "unwatched", columns: 3, keepsKnown: true, in: database)
    for guardIndex in recorded.withoutStart.union(recorded.unwatched).sorted() {
      unwatched.add(id)
      unwatched.add(Int64(guardIndex))
      unwatched.add(!recorded.unwatched.contains(guardIndex))
      try unwatched.insert()
    }
    var sources = try RowInsertion(into: "source", columns: 3, in: database)
    for (path, digest) in recorded.sources.sorted(by: { $0.key < $1.key }) {
      sources.add(id)
      sources.add(path.text)
      sources.add(Int64(bitPattern: digest))
      try sources.insert()
    }
  }

  private static func writeRuns(_ profile: Profile, in database: OpaquePointer) throws {
    typealias Column = RunColumn
    var runs = try RowInsertion(into: Column.self, in: database)
    for run in profile.runs {
      runs.set(Column.id, run.id)
      try runs.set(Column.command, JSONForm.compact(run.command))
      runs.set(Column.host, run.host.name)
      runs.set(Column.kernel, run.host.kernel)
      runs.set(Column.architecture, run.host.architecture)
      runs.set(Column.processor, run.host.processor)
      runs.set(Column.cores, run.host.cores)
      runs.set(Column.startedAt, run.startedAt)
      runs.set(Column.endedAt, run.endedAt)
      runs.set(Column.exitStatus, run.ending.status)
      runs.set(Column.signal, run.ending.signal)
      runs.set(Column.ending, run.ending.words)
      try runs.set(Column.problems, JSONForm.compact(run.problems))
      runs.set(Column.attachment, run.attachment?.rawValue)
      try runs.insert()
    }
    try writeProcesses(profile.processes, in: database)
  }

  private static func writeProcesses(
    _ processes: [RecordedProcess], in database: OpaquePointer
  ) throws {
    typealias Column = ProcessColumn
    var rows = try RowInsertion(into: Column.self, in: database)
    for process in processes {
      guard process.returns.isEmpty || process.returns.count == process.calls.count else {
        throw Failure(
          .data,
          "process \(process.pid) has \(process.returns.count) returns of \(process.calls.count) calls"
        )
      }
      let returns = ReturnsBlob.encode(process.returns)
      rows.set(Column.run, process.run)
      rows.set(Column.id, process.id)
      rows.set(Column.pid, Int64(process.pid))
      rows.set(Column.parentPID, Int64(process.parentPID))
      rows.set(Column.forkedFrom, process.forkedFrom)
      rows.set(Column.path, process.path)
      try rows.set(Column.arguments, JSONForm.compact(process.arguments))
      rows.set(Column.startedAt, process.startedAt)
      rows.set(Column.readyAfter, process.readyAfter)
      rows.set(Column.drops, process.losses)
      rows.set(Column.calls, process.callCount)
      rows.set(Column.trace, process.isTraceLeftOut ? [] : TraceBlob.encode(process.calls))
      rows.set(Column.returns, returns.isEmpty ? nil : returns)
      try rows.set(Column.launch, process.launch.map(JSONForm.compact))
      rows.set(Column.leftOut, process.isTraceLeftOut)
      try rows.insert()
      try writeMarks(of: process, in: database)
      try CountedProcess.write(process, in: database)
    }
  }
}

extension ProfileWriter {
  fileprivate static func write(_ unlisted: UnlistedRuns, in database: OpaquePointer) throws {
    guard unlisted != UnlistedRuns() else { return }
    typealias Column = UnlistedColumn
    var row = try RowInsertion(into: Column.self, in: database)
    row.set(Column.runs, unlisted.runs)
    row.set(Column.processes, unlisted.processes)
    row.set(Column.seconds, unlisted.seconds)
    row.set(Column.drops, unlisted.losses)
    row.set(Column.windows, unlisted.windows)
    row.set(Column.windowSeconds, unlisted.windowSeconds)
    try row.set(Column.problems, JSONForm.compact(unlisted.problems))
    try row.insert()
  }
}

/// A list of strings in one column, as JSON, so that SQLite's own functions can parse it.
enum JSONText {
  static func strings(_ text: String) -> [String]? {
    try? JSONDecoder().decode([String].self, from: Data(text.utf8))
  }
}

extension ProfileWriter {
  static func writeMarks(of process: RecordedProcess, in database: OpaquePointer) throws {
    guard !process.marks.isEmpty else { return }
    typealias Column = MarkColumn
    var rows = try RowInsertion(into: Column.self, keepsKnown: true, in: database)
    for (id, mark) in process.marks.enumerated() {
      rows.set(Column.run, process.run)
      rows.set(Column.process, process.id)
      rows.set(Column.id, id)
      rows.set(Column.name, mark.name)
      rows.set(Column.thread, Int64(mark.thread))
      rows.set(Column.time, Int64(clamping: mark.time))
      switch mark.kind {
      case .mark:
        rows.set(Column.kind, "mark")
        rows.set(Column.duration, nil as Int64?)
      case .span(let duration):
        rows.set(Column.kind, "span")
        rows.set(Column.duration, duration.map { Int64(clamping: $0) })
      }
      try rows.insert()
    }
  }
}
