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
    typealias Column = RunColumn
    var row = try RowReading(Column.self, in: database)
    while try row.next() {
      let id: String = try row.value(Column.id)
      let start = try row.seconds(Column.startedAt, in: ProfileLimits.moments)
      let end = try row.seconds(Column.endedAt, in: ProfileLimits.moments)
      let text: String = try row.value(Column.problems)
      guard let problems = text == "[]" ? [] : JSONText.strings(text) else {
        throw damaged("run \(id)")
      }
      sums.add(
        start: start, end: end, host: try row.value(Column.host), ending: try ending(row),
        problems: problems, isWindow: try attachment(row) != nil)
      eachRun(id)
    }
  }

  private func addProcesses(to sums: inout UnlistedRuns) throws {
    var row = try RowReading(ProcessColumn.self, in: database)
    while try row.next() {
      sums.processes += 1
      sums.losses = try sums.losses + row.losses(from: ProcessColumn.drops)
    }
  }
}

extension RowReading {
  /// Losses in six columns, in the order in which they are set.
  func losses(from first: some TableColumn) throws -> Losses {
    func count(_ place: Int32) throws -> Int {
      try number(first.place + place, in: ProfileLimits.counts)
    }
    return try Losses(
      drops: count(0), uncommitted: count(1), lostImages: count(2), unreadableSegments: count(3),
      unrecordedProcesses: count(4), runningProcesses: count(5))
  }

  /// A function's runs and the times of its first and last call.
  func coverage(from column: some TableColumn) throws -> GuardCoverage {
    let first = column.place
    return try GuardCoverage(
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
    typealias Column = MarkColumn
    var row = try RowReading(Column.self, "ORDER BY run, process, time, id", in: database)
    while try row.next() {
      let owner = try RecordOwner(run: row.value(Column.run), process: row.value(Column.process))
      let duration: Int64? = try row.optionalValue(Column.duration)
      guard let thread = UInt32(exactly: try row.value(Column.thread) as Int64),
        let time = UInt64(exactly: try row.value(Column.time) as Int64),
        time <= ProfileLimits.nanoseconds,
        let kind = Self.markKind(try row.value(Column.kind), duration),
        sums[owner, default: BoundedSum()].add(UInt64(duration ?? 0))
      else { throw damaged("mark of process \(owner.process)") }
      marks[owner, default: []].append(
        try ProgramMark(name: row.value(Column.name), thread: thread, time: time, kind: kind))
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
