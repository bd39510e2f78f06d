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
    var row = try RowReading(
      sql: """
        SELECT runs, processes, seconds, drops, uncommitted, lost_images, unreadable_segments,
          unrecorded_processes, running_processes, windows, window_seconds,
          problems
        FROM unlisted
        """, in: database)
    guard try row.next() else { return UnlistedRuns() }
    let counts = ProfileLimits.counts
    var unlisted = try UnlistedRuns(
      runs: row.number(0, in: counts), processes: row.number(1, in: counts),
      seconds: row.seconds(2, in: ProfileLimits.durations), losses: row.losses(from: 3))
    unlisted.windows = try row.number(9, in: counts)
    unlisted.windowSeconds = try row.seconds(10, in: ProfileLimits.durations)
    let problems: String = try row.value(11)
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
    let guardLimit = try guardLimit()
    let files = try readFiles()
    var row = try RowReading(
      sql: """
        SELECT id, build_id, path, kind, architecture, guards, has_symbols, has_debug_info, runs,
          recorder
        FROM build ORDER BY id
        """, in: database)
    var builds: [RecordedBuild] = []
    while try row.next() {
      let id: Int = try row.value(0)
      let guards: Int = try row.value(5)
      guard id == builds.count, let buildID = BuildID(try row.value(1)),
        let kind = ImageKind(rawValue: try row.value(3)), (0...guardLimit).contains(guards),
        let recorder = Recorder(rawValue: try row.value(9))
      else { throw damaged("build \(id)") }
      var build = try Build(
        buildID: buildID, path: row.value(2), kind: kind, architecture: row.value(4),
        hasSymbols: row.value(6), hasDebugInfo: row.value(7), functions: [], entryGuards: [],
        guardCount: guards, recorder: recorder)
      // Reserves the whole array if the file is large enough for it: a row takes more bytes than that.
      build.functions.reserveCapacity(min(guards, guardLimit / 32))
      try readFunctions(of: id, files: files, into: &build)
      try readUnwatched(of: id, files: files, into: &build)
      var recorded = RecordedBuild(
        build: build, runs: try row.number(8, in: ProfileLimits.counts))
      try readCoverage(of: id, into: &recorded)
      recorded.counters = try readCounters(of: id, files: files)
      builds.append(recorded)
    }
    return builds
  }

  /// The number that a statement returns.
  private func number(_ sql: String) throws -> Int {
    var row = try RowReading(sql: sql, in: database)
    return try row.next() ? row.number(0, in: ProfileLimits.counts) : 0
  }

  func readFiles() throws -> [String] {
    var files: [String] = []
    var row = try RowReading(sql: "SELECT id, path FROM file ORDER BY id", in: database)
    while try row.next() {
      let id: Int = try row.value(0)
      guard id == files.count else { throw damaged("file \(files.count)") }
      files.append(try row.value(1))
    }
    return files
  }

  func readFunctions(of id: Int, files: [String], into build: inout Build) throws {
    var rows = try RowReading(
      sql: """
        SELECT guard, address, size, name, module, file, line, compiler_generated, local
        FROM function WHERE build = ? ORDER BY guard
        """, build: id, in: database)
    var names = try DemangledNames.read(.function, build: id, in: database)
    while try rows.next() {
      let guardIndex = try rows.number(0)
      guard (0..<build.guardCount).contains(guardIndex) else {
        throw damaged("function of guard \(guardIndex) of build \(id)")
      }
      let code = Function.Code.guarded(UInt32(guardIndex))
      build.functions.append(try function(code, &rows, &names, files: files))
    }
    var aliases = try RowReading(
      sql: "SELECT guard, name FROM alias WHERE build = ?", build: id, in: database)
    while try aliases.next() {
      let guardIndex = try aliases.number(0)
      guard (0..<build.guardCount).contains(guardIndex),
        let index = build.function(ofGuard: UInt32(guardIndex))
      else { throw damaged("alias of guard \(guardIndex) of build \(id)") }
      build.functions[index].aliases.append(try aliases.text(1))
    }
  }

  /// The function of a row, whose columns begin with the second.
  func function(
    _ code: Function.Code, _ row: inout RowReading, _ names: inout DemangledNames.Iterator,
    files: [String]
  ) throws -> Function {
    let name = try row.text(3)
    let address = try row.optionalInteger(1).map { UInt64(bitPattern: $0) }
    let size = UInt64(try row.number(2))
    guard (address ?? 0) <= .max - size else { throw damaged("address of \(name)") }
    return try Function(
      code: code, address: address, size: size, name: name,
      demangledName: names.next(or: name), module: row.repeatedText(4),
      file: path(row.optionalInteger(5), files), line: row.number(6),
      isCompilerGenerated: row.isTrue(7), isLocal: row.isTrue(8))
  }

  /// The path of a source file with a number.
  func path(_ number: Int64?, _ files: [String]) throws -> String? {
    guard let number else { return nil }
    guard number >= 0, number < files.count else { throw damaged("file \(number)") }
    return files[Int(number)]
  }

  private func readCoverage(of id: Int, into recorded: inout RecordedBuild) throws {
    var rows = try RowReading(
      sql: "SELECT guard, runs, first_seen, last_seen FROM coverage WHERE build = ?", build: id,
      in: database)
    while try rows.next() {
      let guardIndex = try rows.number(0)
      let seen = try rows.coverage(from: 1)
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
    var row = try RowReading(
      sql: """
        SELECT id, command, host, kernel, architecture, processor, cores, started_at, ended_at,
          problems, exit_status, signal, ending, attachment
        FROM run ORDER BY started_at, id
        """, in: database)
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
      let id: String = try row.value(0)
      let commandText: String = try row.value(1)
      let command = once(TextBytes(commandText), in: &commands) { JSONText.strings(commandText) }
      guard let command,
        let problems = JSONText.strings(try row.value(9))
      else { throw damaged("run \(id)") }
      let host = try Host(
        name: row.value(2), kernel: row.value(3), architecture: row.value(4),
        processor: row.value(5), cores: row.value(6))
      let ending = try ending(row, at: 10)
      let attachment = try attachment(row, at: 13)
      result.append(
        try Run(
          id: id, command: command, host: once(host, in: &hosts) { host } ?? host,
          startedAt: row.seconds(7, in: ProfileLimits.moments),
          endedAt: row.seconds(8, in: ProfileLimits.moments),
          ending: once(ending, in: &endings) { ending } ?? ending, problems: problems,
          attachment: attachment))
    }
    return result
  }

  private func readProcesses(guardCounts: [Int], runs: Set<TextBytes>) throws -> [RecordedProcess] {
    var marks = try readMarks()
    var counted = try readCounted()
    var row = try RowReading(
      sql: """
        SELECT run, id, pid, parent_pid, forked_from, path, arguments, started_at, ready_after,
          drops, uncommitted, lost_images, unreadable_segments, unrecorded_processes,
          running_processes, calls, trace, returns, launch, left_out
        FROM process ORDER BY started_at, run, id
        """, in: database)
    var processes: [RecordedProcess] = []
    var paths: [TextBytes: String] = [:]
    var argumentLists: [TextBytes: [String]] = [:]
    while try row.next() {
      let id: String = try row.value(1)
      let run: String = try row.value(0)
      let count = try row.number(15)
      let blob: [UInt8] = try row.value(16)
      // Only the number of calls is known.
      let isLeftOut = try blob.isEmpty && row.value(19)
      let calls = blob.withUnsafeBytes {
        isLeftOut ? [] : TraceBlob.decode($0, count: count, guardCounts: guardCounts)
      }
      let argumentText: String = try row.value(6)
      let arguments = argumentLists[argumentText] ?? JSONText.strings(argumentText)
      argumentLists[argumentText] = arguments
      let processPath: String = try row.value(5)
      let path = paths[processPath] ?? processPath
      paths[processPath] = path
      guard runs.contains(run), let calls, let arguments,
        let pid = UInt32(exactly: try row.value(2) as Int64),
        let parent = UInt32(exactly: try row.value(3) as Int64)
      else { throw damaged("process \(id)") }
      var process = try RecordedProcess(
        id: id, run: run, pid: pid, parentPID: parent, forkedFrom: row.optionalValue(4),
        path: path, arguments: arguments,
        startedAt: row.seconds(7, in: ProfileLimits.moments),
        readyAfter: row.isNull(8) ? nil : row.seconds(8, in: ProfileLimits.delays),
        losses: row.losses(from: 9), calls: calls, callCount: count, isTraceLeftOut: isLeftOut)
      if isLeftOut {
        processes.append(process)
        continue
      }
      process.marks = marks.removeValue(forKey: RecordOwner(run: run, process: id)) ?? []
      process.counted = counted.removeValue(forKey: RecordOwner(run: run, process: id)) ?? [:]
      try readAccounts(of: &process, returns: row.optionalValue(17), launch: row.optionalValue(18))
      processes.append(process)
    }
    guard marks.isEmpty, counted.isEmpty else {
      throw damaged("marks or counters of a process that is not there")
    }
    return processes
  }
}
