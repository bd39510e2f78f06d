import FirstlightModel
import Foundation

extension ProfileReader {
  /// Reads the builds, and only sums of runs and processes: row by row, without keeping any.
  func readSums(eachRun: (String) -> Void) throws -> Profile {
    var profile = Profile(builds: try readBuilds())
    profile.unlisted = try readUnlisted()
    try addRuns(to: &profile.unlisted, eachRun)
    try addProcesses(to: &profile.unlisted)
    return profile
  }

  private func addRuns(to sums: inout UnlistedRuns, _ eachRun: (String) -> Void) throws {
    var row = try RowReading(
      sql: """
        SELECT id, host, started_at, ended_at, problems, exit_status, signal, ending, attachment
        FROM run
        """, in: database)
    while try row.next() {
      let id: String = try row.value(0)
      let start = try row.seconds(2, in: ProfileLimits.moments)
      let end = try row.seconds(3, in: ProfileLimits.moments)
      let text: String = try row.value(4)
      guard let problems = text == "[]" ? [] : JSONText.strings(text) else {
        throw damaged("run \(id)")
      }
      sums.add(
        start: start, end: end, host: try row.value(1), ending: try ending(row, at: 5),
        problems: problems, isWindow: try attachment(row, at: 8) != nil)
      eachRun(id)
    }
  }

  private func addProcesses(to sums: inout UnlistedRuns) throws {
    var row = try RowReading(
      sql: """
        SELECT drops, uncommitted, lost_images, unreadable_segments, unrecorded_processes,
          running_processes
        FROM process
        """, in: database)
    while try row.next() {
      sums.processes += 1
      sums.losses = try sums.losses + row.losses(from: 0)
    }
  }
}

extension RowReading {
  /// Losses in six columns, in the order of their table.
  func losses(from first: Int32) throws -> Losses {
    func count(_ place: Int32) throws -> Int {
      try number(first + place, in: ProfileLimits.counts)
    }
    return try Losses(
      drops: count(0), uncommitted: count(1), lostImages: count(2), unreadableSegments: count(3),
      unrecordedProcesses: count(4), runningProcesses: count(5))
  }

  /// A function's runs and the times of its first and last call.
  func coverage(from first: Int32) throws -> GuardCoverage {
    try GuardCoverage(
      runs: number(first, in: ProfileLimits.counts),
      firstSeen: seconds(first + 1, in: ProfileLimits.moments),
      lastSeen: seconds(first + 2, in: ProfileLimits.moments))
  }
}

/// The process of a mark, or of counters.
struct RecordOwner: Hashable {
  var run: String
  var process: String
}

extension ProfileReader {
  /// All marks, by time.
  func readMarks() throws -> [RecordOwner: [ProgramMark]] {
    var marks: [RecordOwner: [ProgramMark]] = [:]
    var sums: [RecordOwner: BoundedSum] = [:]
    var row = try RowReading(
      sql: """
        SELECT run, process, name, thread, time, kind, duration
        FROM mark ORDER BY run, process, time, id
        """, in: database)
    while try row.next() {
      let owner = try RecordOwner(run: row.value(0), process: row.value(1))
      let duration: Int64? = try row.optionalValue(6)
      guard let thread = UInt32(exactly: try row.value(3) as Int64),
        let time = UInt64(exactly: try row.value(4) as Int64), time <= ProfileLimits.nanoseconds,
        let kind = Self.markKind(try row.value(5), duration),
        sums[owner, default: BoundedSum()].add(UInt64(duration ?? 0))
      else { throw damaged("mark of process \(owner.process)") }
      marks[owner, default: []].append(
        try ProgramMark(name: row.value(2), thread: thread, time: time, kind: kind))
    }
    return marks
  }

  private static func markKind(_ name: String, _ duration: Int64?) -> ProgramMark.Kind? {
    switch (name, duration) {
    case ("mark", nil): .mark
    case ("span", nil): .span(duration: nil)
    case ("span", let duration?) where duration >= 0: .span(duration: UInt64(duration))
    default: nil
    }
  }

  /// Adds the outcomes of the process's first calls, and its start-up.
  func readAccounts(of process: inout RecordedProcess, returns: [UInt8]?, launch: String?) throws {
    if let returns {
      let count = process.calls.count
      guard let decoded = returns.withUnsafeBytes({ ReturnsBlob.decode($0, count: count) }) else {
        throw damaged("returns of process \(process.id)")
      }
      process.returns = decoded
    }
    if let launch {
      guard let decoded = LaunchColumn.decode(launch) else {
        throw damaged("launch of process \(process.id)")
      }
      process.launch = decoded
    }
  }
}

extension ProfileReader {
  /// Reads the functions that no guard covers.
  func readUnwatched(of id: Int, files: [String], into build: inout Build) throws {
    var optimised = try RowReading(
      sql: "SELECT build FROM optimised WHERE build = ?", build: id, in: database)
    build.isOptimised = try optimised.next()
    var rows = try RowReading(
      sql: """
        SELECT id, address, size, name, module, file, line, compiler_generated, local
        FROM unguarded WHERE build = ? ORDER BY id
        """, build: id, in: database)
    var names = try DemangledNames.read(.unguarded, build: id, in: database)
    while try rows.next() {
      build.functions.append(try function(.unguarded, &rows, &names, files: files))
    }
    try readInlined(of: id, files: files, into: &build)
  }

  private func readInlined(of id: Int, files: [String], into build: inout Build) throws {
    var rows = try RowReading(
      sql: """
        SELECT name, module, file, line, unwatched_host, id
        FROM inlined WHERE build = ? ORDER BY id
        """, build: id, in: database)
    var names = try DemangledNames.read(.inlined, build: id, in: database)
    var copied: [(hosts: [UInt32], hasUnknown: Bool)] = []
    let first = build.functions.count
    while try rows.next() {
      let name = try rows.text(0)
      guard copied.count == (try rows.number(5)) else {
        throw damaged("inlined function \(copied.count) of build \(id)")
      }
      copied.append(([], try rows.isTrue(4)))
      build.functions.append(
        try Function(
          name: name, demangledName: names.next(or: name), module: rows.repeatedText(1),
          file: path(rows.optionalInteger(2), files), line: rows.number(3)))
    }
    var places = try RowReading(
      sql: "SELECT id, guard FROM inlined_at WHERE build = ? ORDER BY id, guard",
      build: id, in: database)
    while try places.next() {
      let index = try places.number(0)
      let guardIndex = try places.number(1)
      guard copied.indices.contains(index), (0..<build.guardCount).contains(guardIndex)
      else { throw damaged("inlined copy \(index) of build \(id)") }
      copied[index].hosts.append(UInt32(guardIndex))
    }
    for (index, copy) in copied.enumerated() {
      build.functions[first + index].code = .copies(
        of: copy.hosts, unknownHost: copy.hasUnknown)
    }
  }
}

extension ProfileReader {
  func readCounters(of id: Int, files: [String]) throws -> SourceCounters {
    var counted = try RowReading(
      sql: "SELECT runs FROM counted WHERE build = ?", build: id, in: database)
    guard try counted.next() else { return SourceCounters() }
    let runs = try counted.number(0, in: ProfileLimits.counts)
    var functions: [Function] = []
    var rows = try RowReading(
      sql: """
        SELECT name, module, file, line, local, runs, first_seen, last_seen
        FROM counter WHERE build = ? ORDER BY id
        """, build: id, in: database)
    var names = try DemangledNames.read(.counter, build: id, in: database)
    while try rows.next() {
      let name = try rows.text(0)
      let seen = try rows.coverage(from: 5)
      guard let file = try path(rows.optionalInteger(2), files), seen.runs <= runs else {
        throw damaged("counter \(functions.count) of build \(id)")
      }
      functions.append(
        try Function(
          code: .counted(seen), name: name, demangledName: names.next(or: name),
          module: rows.repeatedText(1),
          file: file, line: rows.number(3), isLocal: rows.isTrue(4)))
    }
    guard runs > 0, !functions.isEmpty else {
      throw damaged("counters of build \(id)")
    }
    return SourceCounters(runs: runs, functions)
  }
}
