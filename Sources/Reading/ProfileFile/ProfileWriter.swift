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
    var files: [TextBytes: Int64] = [:]
    var rows = try RowInsertion(into: "build", columns: 10, in: database)
    var optimised = try RowInsertion(into: "optimised", columns: 1, in: database)
    for (id, recorded) in builds.enumerated() {
      let build = recorded.build
      rows.add(id)
      rows.add(build.buildID.description)
      rows.add(build.recorder.rawValue)
      rows.add(build.path)
      rows.add(build.kind.rawValue)
      rows.add(build.architecture)
      rows.add(build.guardCount)
      rows.add(build.hasSymbols)
      rows.add(build.hasDebugInfo)
      rows.add(recorded.runs)
      try rows.insert()
      if build.isOptimised {
        optimised.add(id)
        try optimised.insert()
      }
      try writeFunctions(of: build, id: id, files: &files, in: database)
      try writeCoverage(recorded, id: id, in: database)
      try write(recorded.counters, id: id, files: &files, in: database)
    }
  }

  private static func write(
    _ counters: SourceCounters, id: Int, files: inout [TextBytes: Int64], in database: OpaquePointer
  ) throws {
    guard !counters.isEmpty else { return }
    var counted = try RowInsertion(into: "counted", columns: 2, in: database)
    counted.add(id)
    counted.add(counters.runs)
    try counted.insert()
    var fileRows = try RowInsertion(into: "file", columns: 2, in: database)
    try DemangledNames.write(
      counters.functions.lazy.map { ($0.name, $0.demangledName) }, of: .counter, build: id,
      in: database)
    var rows = try RowInsertion(into: "counter", columns: 10, keepsKnown: true, in: database)
    for (index, function) in counters.functions.enumerated() {
      let file = function.file
      if let file, files[file] == nil {
        fileRows.add(files.count)
        fileRows.add(file)
        try fileRows.insert()
        files[file] = Int64(files.count)
      }
      rows.add(id)
      rows.add(index)
      rows.add(function.name)
      rows.add(function.module)
      rows.add(file.flatMap { files[$0] })
      rows.add(function.line)
      rows.add(function.isLocal)
      rows.add(function.counted.runs)
      rows.add(function.counted.firstSeen)
      rows.add(function.counted.lastSeen)
      try rows.insert()
    }
  }

  /// Writes the rows of a build's functions. `files` has the ids of source files that have rows;
  /// its count is the next id.
  static func writeFunctions(
    of build: Build, id: Int, files: inout [TextBytes: Int64], in database: OpaquePointer
  ) throws {
    var fileRows = try RowInsertion(into: "file", columns: 2, keepsKnown: true, in: database)
    var aliases = try RowInsertion(into: "alias", columns: 3, keepsKnown: true, in: database)
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
      rows.add(function.module)
      rows.add(file)
      rows.add(function.line)
      rows.add(function.isCompilerGenerated)
      rows.add(function.isLocal)
      try rows.insert()
    }
    for (functions, list) in [
      (Array(build.guarded), DemangledNames.List.function),
      (build.functions.filter(\.isUnguarded), .unguarded),
      (build.functions.filter(\.isCopied), .inlined),
    ] {
      try DemangledNames.write(
        functions.lazy.map { ($0.name, $0.demangledName) }, of: list, build: id, in: database)
    }
    var rows = try RowInsertion(into: "function", columns: 10, keepsKnown: true, in: database)
    for (function, guardIndex) in zip(build.guarded, build.entryGuards) {
      try add(function, number: Int64(guardIndex), to: &rows)
      for alias in function.aliases {
        aliases.add(id)
        aliases.add(Int64(guardIndex))
        aliases.add(alias)
        try aliases.insert()
      }
    }
    var unguarded = try RowInsertion(into: "unguarded", columns: 10, keepsKnown: true, in: database)
    for (index, function) in build.functions.filter(\.isUnguarded).enumerated() {
      try add(function, number: Int64(index), to: &unguarded)
    }
    var inlined = try RowInsertion(into: "inlined", columns: 7, keepsKnown: true, in: database)
    var places = try RowInsertion(into: "inlined_at", columns: 3, keepsKnown: true, in: database)
    for (index, function) in build.functions.filter(\.isCopied).enumerated() {
      guard case .copies(let hosts, let hasUnknownHost) = function.code else { continue }
      inlined.add(id)
      inlined.add(index)
      inlined.add(function.name)
      inlined.add(function.module)
      inlined.add(try number(of: function.file))
      inlined.add(function.line)
      inlined.add(hasUnknownHost)
      try inlined.insert()
      for guardIndex in hosts {
        places.add(id)
        places.add(index)
        places.add(Int64(guardIndex))
        try places.insert()
      }
    }
  }

  private static func writeCoverage(
    _ recorded: RecordedBuild, id: Int, in database: OpaquePointer
  ) throws {
    var rows = try RowInsertion(into: "coverage", columns: 5, keepsKnown: true, in: database)
    for (guardIndex, seen) in recorded.coverage.enumerated() where seen.isCalled {
      rows.add(id)
      rows.add(guardIndex)
      rows.add(seen.runs)
      rows.add(seen.firstSeen)
      rows.add(seen.lastSeen)
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
    var runs = try RowInsertion(into: "run", columns: 14, in: database)
    for run in profile.runs {
      runs.add(run.id)
      try runs.add(JSONForm.compact(run.command))
      runs.add(run.host.name)
      runs.add(run.host.kernel)
      runs.add(run.host.architecture)
      runs.add(run.host.processor)
      runs.add(run.host.cores)
      runs.add(run.startedAt)
      runs.add(run.endedAt)
      runs.add(run.ending.status)
      runs.add(run.ending.signal)
      runs.add(run.ending.words)
      try runs.add(JSONForm.compact(run.problems))
      runs.add(run.attachment?.rawValue)
      try runs.insert()
    }
    var rows = try RowInsertion(into: "process", columns: 20, in: database)
    for process in profile.processes {
      guard process.returns.isEmpty || process.returns.count == process.calls.count else {
        throw Failure(
          .data,
          "process \(process.pid) has \(process.returns.count) returns of \(process.calls.count) calls"
        )
      }
      let returns = ReturnsBlob.encode(process.returns)
      rows.add(process.run)
      rows.add(process.id)
      rows.add(Int64(process.pid))
      rows.add(Int64(process.parentPID))
      rows.add(process.forkedFrom)
      rows.add(process.path)
      try rows.add(JSONForm.compact(process.arguments))
      rows.add(process.startedAt)
      rows.add(process.readyAfter)
      rows.add(process.losses.drops)
      rows.add(process.losses.uncommitted)
      rows.add(process.losses.lostImages)
      rows.add(process.losses.unreadableSegments)
      rows.add(process.callCount)
      rows.add(process.isTraceLeftOut ? [] : TraceBlob.encode(process.calls))
      rows.add(returns.isEmpty ? nil : returns)
      try rows.add(process.launch.map(JSONForm.compact))
      rows.add(process.isTraceLeftOut)
      rows.add(process.losses.unrecordedProcesses)
      rows.add(process.losses.runningProcesses)
      try rows.insert()
      try writeMarks(of: process, in: database)
      try CountedProcess.write(process, in: database)
    }
  }
}

extension ProfileWriter {
  fileprivate static func write(_ unlisted: UnlistedRuns, in database: OpaquePointer) throws {
    guard unlisted != UnlistedRuns() else { return }
    let losses = unlisted.losses
    var row = try RowInsertion(into: "unlisted", columns: 12, in: database)
    row.add(unlisted.runs)
    row.add(unlisted.processes)
    row.add(unlisted.seconds)
    row.add(losses.drops)
    row.add(losses.uncommitted)
    row.add(losses.lostImages)
    row.add(losses.unreadableSegments)
    row.add(losses.unrecordedProcesses)
    row.add(losses.runningProcesses)
    row.add(unlisted.windows)
    row.add(unlisted.windowSeconds)
    try row.add(JSONForm.compact(unlisted.problems))
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
    var rows = try RowInsertion(into: "mark", columns: 8, keepsKnown: true, in: database)
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
