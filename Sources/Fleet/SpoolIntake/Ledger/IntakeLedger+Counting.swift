import FirstlightModel
import FleetModel
import Foundation
import GRDB
import ProfileFile
import SQLiteSupport
import SystemSupport

/// The atomic update of the ledger after a part of a pass.
package struct IntakeStep: Sendable {
  /// Name stems of the processes whose files are no longer needed.
  package var done: [String] = []
  /// Stems of earlier processes whose files were removed.
  package var removed: [String] = []
  /// The additions to the host's rows.
  package var states: [SeriesState] = []
  /// Traces for the host's sample.
  package var samples: [FleetTrace] = []
  /// Counts of these runs; only of families that may get more processes.
  package var runs: [String: CoverageTally] = [:]
  /// Processes of such families.
  package var members: [FamilyMember] = []
  /// Builds with new counts on the host.
  var hostCounts: [BuildKey: GuardSet] = [:]

  package init() {}
}

/// A process of a run that may get more processes.
package struct FamilyMember: Hashable, Sendable {
  package var process: String
  package var root: String
  package var run: String
}

extension IntakeLedger {
  /// Stems of counted processes whose files may still exist.
  package func done() throws(Failure) -> Set<String> {
    try read { try Set(String.fetchAll($0, sql: "SELECT stem FROM done")) }
  }

  /// The host's counts: a host counts once for each function, whatever labels it has.
  func hostCounts() throws(Failure) -> CoverageTally {
    try read { database in
      var counted = CoverageTally()
      let rows = try Row.fetchCursor(
        database, sql: "SELECT build_id, recorder, guards FROM host_count")
      while let row = try rows.next() {
        guard let key = Self.key(try row.value(0), try row.value(1)) else { continue }
        counted.builds[key] = try guards(row, 2)
        counted.isStarted = true
      }
      return counted
    }
  }

  private func guards(_ row: Row, _ column: Int) throws -> GuardSet {
    let bytes: Data = try row.value(column)
    return try GuardSet(decoding: Array(bytes))
  }

  /// The known families of these processes.
  package func members(_ processes: some Sequence<String>) throws(Failure) -> [String: FamilyMember]
  {
    try read { database in
      let rows = try Row.fetchCursor(
        try database.cachedStatement(
          sql: """
            SELECT process, root, run FROM family
            WHERE process IN (SELECT value FROM json_each(?))
            """), arguments: [try Self.list(processes)])
      var members: [String: FamilyMember] = [:]
      while let row = try rows.next() {
        let member = FamilyMember(
          process: try row.value(0), root: try row.value(1), run: try row.value(2))
        members[member.process] = member
      }
      return members
    }
  }

  /// The counted guards of these runs; empty for unknown runs.
  package func counted(runs: some Sequence<String>) throws(Failure) -> [String: CoverageTally] {
    try read { database in
      let rows = try Row.fetchCursor(
        try database.cachedStatement(
          sql: """
            SELECT run, build_id, recorder, guards FROM run_count
            WHERE run IN (SELECT value FROM json_each(?))
            """), arguments: [try Self.list(runs)])
      var counted: [String: CoverageTally] = [:]
      while let row = try rows.next() {
        guard let key = Self.key(try row.value(1), try row.value(2)) else { continue }
        let run: String = try row.value(0)
        counted[run, default: CoverageTally()].isStarted = true
        counted[run]?.builds[key] = try guards(row, 3)
      }
      let spans = try Row.fetchCursor(
        try database.cachedStatement(
          sql: """
            SELECT run, start, "end" FROM run_span
            WHERE run IN (SELECT value FROM json_each(?))
            """), arguments: [try Self.list(runs)])
      while let row = try spans.next() {
        let (run, start, end): (String, Double, Double) = (
          try row.value(0), try row.value(1), try row.value(2)
        )
        if start <= end { counted[run]?.span = start...end }
      }
      return counted
    }
  }

  /// - Returns: the sums that could not be counted.
  @discardableResult
  package func add(_ step: IntakeStep) throws(Failure) -> [LostSums] {
    try write { database in
      let now = try uptime(notedIn: database)
      var removal = try RowInsertion(
        sql: "DELETE FROM done WHERE stem = ?", in: database.handle)
      for stem in step.removed {
        removal.add(stem)
        try removal.insert()
      }
      var done = try RowInsertion(into: "done", columns: 1, keepsKnown: true, in: database.handle)
      for stem in step.done {
        done.add(stem)
        try done.insert()
      }
      let rows = StateRows(self, database, uptime: now)
      let lost = try step.states.compactMap { try rows.add($0) }
      if !step.samples.isEmpty {
        try SampleRows(database).add(step.samples, life: try life.id(in: database))
      }
      for (run, counted) in step.runs {
        if let span = counted.span {
          try database.execute(
            cachedSQL: "INSERT OR REPLACE INTO run_span VALUES (?, ?, ?)",
            arguments: [run, span.lowerBound, span.upperBound])
        }
        for (key, guards) in counted.builds {
          try database.execute(
            cachedSQL: "INSERT OR REPLACE INTO run_count VALUES (?, ?, ?, ?)",
            arguments: [
              run, key.buildID.description, key.recorder.rawValue, Data(guards.encoded()),
            ])
        }
      }
      for member in step.members {
        try database.execute(
          cachedSQL: "INSERT OR REPLACE INTO family VALUES (?, ?, ?, ?)",
          arguments: [member.process, member.root, member.run, now])
      }
      for (key, guards) in step.hostCounts {
        try database.execute(
          cachedSQL: "INSERT OR REPLACE INTO host_count VALUES (?, ?, ?)",
          arguments: [key.buildID.description, key.recorder.rawValue, Data(guards.encoded())])
      }
      return lost
    }
  }

  /// Forgets families that have had no new process for a while.
  /// - Parameters:
  ///   - seconds: uptime of the daemon.
  ///   - open: runs that are always kept, since some of their processes still run.
  func forgetFamilies(
    untouchedFor seconds: Double, except open: Set<String>
  ) throws(Failure) {
    try write { database in
      let now = try uptime(notedIn: database)
      let old = try String.fetchAll(
        database,
        sql: """
          SELECT run FROM family GROUP BY run
          HAVING max(touched) < ?
          """, arguments: [now - seconds])
      for run in old where !open.contains(run) {
        for table in ["run_count", "run_span", "family"] {
          try database.execute(
            cachedSQL: "DELETE FROM \(table) WHERE run = ?", arguments: [run])
        }
      }
    }
  }

  /// Texts as one argument of a statement: a thousand at once cost little more than one.
  private static func list(_ texts: some Sequence<String>) throws -> String {
    try JSONForm.compact(Array(texts))
  }
}
