import FirstlightModel
import Foundation

/// Reads the rows of a profile and validates each.
struct ProfileReader {
  let path: String
  let database: OpaquePointer

  func read() throws -> Profile {
    var profile = Profile(builds: try readBuilds(), runs: try readRuns())
    profile.processes = try readProcesses(
      guardCounts: profile.builds.map(\.build.guardCount), runs: Set(texts: profile.runs.map(\.id)))
    profile.unlisted = try readUnlisted()
    return profile
  }

  /// Only a fleet's profiles have this row.
  func readUnlisted() throws -> UnlistedRuns {
    typealias Column = UnlistedColumn
    var row = try RowReading(Column.self, in: database)
    guard try row.next() else { return UnlistedRuns() }
    let counts = ProfileLimits.counts
    var unlisted = try UnlistedRuns(
      runs: row.number(Column.runs, in: counts),
      processes: row.number(Column.processes, in: counts),
      seconds: row.seconds(Column.seconds, in: ProfileLimits.durations),
      losses: row.losses(from: Column.drops))
    unlisted.windows = try row.number(Column.windows, in: counts)
    unlisted.windowSeconds = try row.seconds(Column.windowSeconds, in: ProfileLimits.durations)
    let problems: String = try row.value(Column.problems)
    guard
      let found = try? JSONDecoder().decode([TextBytes: Int].self, from: Data(problems.utf8)),
      found.values.allSatisfy(counts.contains)
    else { throw damaged("problems") }
    unlisted.problems = found
    return unlisted
  }

  func damaged(_ what: String) -> Failure {
    Failure(.data, "\(path): damaged profile: \(oneLine(what))", advice: "record it again")
  }

  /// Maximum number of guards of a build in this file, since each guard takes memory. A function
  /// takes at least some ten bytes of the file, and has fewer than a hundred guards, edges
  /// included.
  private func guardLimit() throws -> Int {
    let pages = try number("PRAGMA page_count")
    let pageSize = try number("PRAGMA page_size")
    return min(50_000_000, max(1 << 16, pages * pageSize))
  }

  func readBuilds() throws -> [RecordedBuild] {
    typealias Column = BuildColumn
    let guardLimit = try guardLimit()
    let functions = try FunctionReader(self)
    var row = try RowReading(Column.self, "ORDER BY id", in: database)
    var builds: [RecordedBuild] = []
    while try row.next() {
      let id: Int = try row.value(Column.id)
      let guards: Int = try row.value(Column.guards)
      guard id == builds.count, let buildID = BuildID(try row.value(Column.buildID)),
        let kind = ImageKind(rawValue: try row.value(Column.kind)),
        (0...guardLimit).contains(guards),
        let recorder = Recorder(rawValue: try row.value(Column.recorder))
      else { throw damaged("build \(id)") }
      var build = try Build(
        buildID: buildID, path: row.value(Column.path), kind: kind,
        architecture: row.value(Column.architecture), hasSymbols: row.value(Column.hasSymbols),
        hasDebugInfo: row.value(Column.hasDebugInfo), functions: [], entryGuards: [],
        guardCount: guards, recorder: recorder)
      build.isOptimised = try row.value(Column.optimised)
      // Reserves the whole array if the file is large enough for it: a row takes more bytes than that.
      build.functions.reserveCapacity(min(guards, guardLimit / 32))
      let countedRuns = try row.number(Column.countedRuns, in: ProfileLimits.counts)
      try functions.read(of: id, countedRuns: countedRuns, into: &build)
      var recorded = RecordedBuild(
        build: build, runs: try row.number(Column.runs, in: ProfileLimits.counts),
        countedRuns: countedRuns)
      try readCoverage(of: id, into: &recorded)
      builds.append(recorded)
    }
    return builds
  }

  /// The number that a statement returns.
  private func number(_ sql: String) throws -> Int {
    var row = try RowReading(sql: sql, in: database)
    return try row.next() ? row.number(0, in: ProfileLimits.counts) : 0
  }

  private func readCoverage(of id: Int, into recorded: inout RecordedBuild) throws {
    var rows = try RowReading(CoverageColumn.self, "WHERE build = ?", build: id, in: database)
    while try rows.next() {
      let guardIndex = try rows.number(CoverageColumn.guard)
      let seen = try rows.coverage(from: CoverageColumn.runs)
      guard recorded.coverage.indices.contains(guardIndex), seen.isCalled
      else { throw damaged("coverage of guard \(guardIndex) of build \(id)") }
      recorded.coverage[guardIndex] = seen
    }
    var bodies = try RowReading(
      sql: "SELECT guard, name FROM merged_body WHERE build = ?", build: id, in: database)
    while try bodies.next() {
      let guardIndex = try bodies.number(0)
      guard recorded.coverage.indices.contains(guardIndex) else {
        throw damaged("merged body of guard \(guardIndex) of build \(id)")
      }
      recorded.mergedBodies[UInt32(guardIndex)] = try bodies.text(1)
    }
    var unwatched = try RowReading(
      sql: "SELECT guard, watched FROM unwatched WHERE build = ?", build: id, in: database)
    while try unwatched.next() {
      let guardIndex = try unwatched.number(0)
      guard recorded.coverage.indices.contains(guardIndex) else {
        throw damaged("unwatched guard \(guardIndex) of build \(id)")
      }
      recorded.withoutStart.insert(UInt32(guardIndex))
      if try unwatched.number(1) == 0 { recorded.unwatched.insert(UInt32(guardIndex)) }
    }
    var sources = try RowReading(
      sql: "SELECT path, digest FROM source WHERE build = ?", build: id, in: database)
    while try sources.next() {
      recorded.sources[try sources.text(0)] = UInt64(bitPattern: try sources.integer(1))
    }
  }

  private func readRuns() throws -> [Run] {
    typealias Column = RunColumn
    var row = try RowReading(Column.self, "ORDER BY started_at, id", in: database)
    // Thousands of runs often share these values, so each is kept once.
    var hosts: [FirstlightModel.Host: FirstlightModel.Host] = [:]
    var commands: [TextBytes: [String]] = [:]
    var endings: [RunEnding: RunEnding] = [:]
    func once<Key: Hashable, Value>(
      _ key: Key, in known: inout [Key: Value], _ make: () throws -> Value?
    ) rethrows -> Value? {
      if let value = known[key] { return value }
      let value = try make()
      known[key] = value
      return value
    }
    var result: [Run] = []
    while try row.next() {
      let id: String = try row.value(Column.id)
      let commandText: String = try row.value(Column.command)
      let command = once(TextBytes(commandText), in: &commands) { JSONText.strings(commandText) }
      guard let command,
        let problems = JSONText.strings(try row.value(Column.problems))
      else { throw damaged("run \(id)") }
      let host = try Host(
        name: row.value(Column.host), kernel: row.value(Column.kernel),
        architecture: row.value(Column.architecture),
        processor: row.value(Column.processor), cores: row.value(Column.cores))
      let ending = try ending(row)
      let attachment = try attachment(row)
      result.append(
        try Run(
          id: id, command: command, host: once(host, in: &hosts) { host } ?? host,
          startedAt: row.seconds(Column.startedAt, in: ProfileLimits.moments),
          endedAt: row.seconds(Column.endedAt, in: ProfileLimits.moments),
          ending: once(ending, in: &endings) { ending } ?? ending, problems: problems,
          attachment: attachment))
    }
    return result
  }

  private func readProcesses(guardCounts: [Int], runs: Set<TextBytes>) throws -> [RecordedProcess] {
    var marks = try readMarks()
    var counted = try readCounted()
    typealias Column = ProcessColumn
    var row = try RowReading(Column.self, "ORDER BY started_at, run, id", in: database)
    var processes: [RecordedProcess] = []
    var paths: [TextBytes: String] = [:]
    var argumentLists: [TextBytes: [String]] = [:]
    while try row.next() {
      let id: String = try row.value(Column.id)
      let run: String = try row.value(Column.run)
      let count = try row.number(Column.calls)
      let blob: [UInt8] = try row.value(Column.trace)
      // Only the number of calls is known.
      let isLeftOut = try blob.isEmpty && row.value(Column.leftOut)
      let calls = blob.withUnsafeBytes {
        isLeftOut ? [] : TraceBlob.decode($0, count: count, guardCounts: guardCounts)
      }
      let argumentText: String = try row.value(Column.arguments)
      let arguments = argumentLists[argumentText] ?? JSONText.strings(argumentText)
      argumentLists[argumentText] = arguments
      let processPath: String = try row.value(Column.path)
      let path = paths[processPath] ?? processPath
      paths[processPath] = path
      guard runs.contains(run), let calls, let arguments,
        let pid = UInt32(exactly: try row.value(Column.pid) as Int64),
        let parent = UInt32(exactly: try row.value(Column.parentPID) as Int64)
      else { throw damaged("process \(id)") }
      var process = try RecordedProcess(
        id: id, run: run, pid: pid, parentPID: parent,
        forkedFrom: row.optionalValue(Column.forkedFrom),
        path: path, arguments: arguments,
        startedAt: row.seconds(Column.startedAt, in: ProfileLimits.moments),
        readyAfter: row.isNull(Column.readyAfter)
          ? nil : row.seconds(Column.readyAfter, in: ProfileLimits.delays),
        losses: row.losses(from: Column.drops), calls: calls, callCount: count,
        isTraceLeftOut: isLeftOut)
      if isLeftOut {
        processes.append(process)
        continue
      }
      process.marks = marks.removeValue(forKey: RecordOwner(run: run, process: id)) ?? []
      process.counted = counted.removeValue(forKey: RecordOwner(run: run, process: id)) ?? [:]
      try readAccounts(
        of: &process, returns: row.optionalValue(Column.returns),
        launch: row.optionalValue(Column.launch))
      processes.append(process)
    }
    guard marks.isEmpty, counted.isEmpty else {
      throw damaged("marks or counters of a process that is not there")
    }
    return processes
  }
}
