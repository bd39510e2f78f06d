import FirstlightModel
import Foundation
import GRDB

/// Writes the rows of a profile into a new file.
enum ProfileWriter {
  static func write(_ profile: Profile, to path: String) throws {
    var configuration = Configuration()
    // The file gets its real name only when it is whole, so nothing needs to survive a crash here.
    configuration.prepareDatabase {
      try $0.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    }
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.writeWithoutTransaction { database in
      try database.inTransaction {
        try ProfileSchema.create(in: database)
        try writeBuilds(profile.builds, in: database)
        try writeRuns(profile, in: database)
        return .commit
      }
    }
    try queue.close()
  }

  private static func writeBuilds(_ builds: [RecordedBuild], in database: Database) throws {
    var files: [String: Int64] = [:]
    let insertFile = try database.makeStatement(sql: "INSERT INTO file VALUES (?, ?)")
    for (id, recorded) in builds.enumerated() {
      let build = recorded.build
      try database.execute(
        sql: "INSERT INTO build VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        arguments: [
          id, build.buildID.description, build.path, build.kind.rawValue, build.architecture,
          build.guardCount, build.hasSymbols, build.hasDebugInfo, recorded.runs,
        ])
      let insertFunction = try database.makeStatement(
        sql: "INSERT INTO function VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      let insertAlias = try database.makeStatement(
        sql: "INSERT OR IGNORE INTO alias VALUES (?, ?, ?)")
      for (function, guardIndex) in zip(build.functions, build.entryGuards) {
        var file: Int64?
        if let path = function.file {
          if let known = files[path] {
            file = known
          } else {
            let new = Int64(files.count)
            files[path] = new
            try insertFile.execute(arguments: [new, path])
            file = new
          }
        }
        insertFunction.setUncheckedArguments([
          id, Int64(guardIndex), function.address.map { Int64(bitPattern: $0) },
          Int64(bitPattern: function.size), function.name,
          function.demangledName == function.name ? nil : function.demangledName, function.module,
          file, function.line, function.isCompilerMade, function.isLocal,
        ])
        try insertFunction.execute()
        for alias in function.aliases {
          try insertAlias.execute(arguments: [id, Int64(guardIndex), alias])
        }
      }
      try writeCoverage(recorded, id: id, in: database)
    }
  }

  private static func writeCoverage(
    _ recorded: RecordedBuild, id: Int, in database: Database
  ) throws {
    let insertCoverage = try database.makeStatement(
      sql: "INSERT INTO coverage VALUES (?, ?, ?, ?, ?)")
    for (guardIndex, seen) in recorded.coverage.enumerated() where seen.isCalled {
      insertCoverage.setUncheckedArguments([
        id, guardIndex, seen.runs, seen.firstSeen, seen.lastSeen,
      ])
      try insertCoverage.execute()
    }
    let insertBody = try database.makeStatement(sql: "INSERT INTO merged_body VALUES (?, ?, ?)")
    for (guardIndex, name) in recorded.mergedBodies.sorted(by: { $0.key < $1.key }) {
      try insertBody.execute(arguments: [id, Int64(guardIndex), name])
    }
  }

  private static func writeRuns(_ profile: Profile, in database: Database) throws {
    for run in profile.runs {
      try database.execute(
        sql: "INSERT INTO run VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        arguments: [
          run.id, JSONText.array(run.command), run.host.name, run.host.kernel,
          run.host.architecture, run.host.processor, run.host.cores, run.startedAt, run.endedAt,
          run.outcome, JSONText.array(run.problems),
        ])
    }
    for process in profile.processes {
      try database.execute(
        sql: "INSERT INTO process VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        arguments: [
          process.run, process.id, Int64(process.pid), Int64(process.parentPID),
          process.forkedFrom, process.path, JSONText.array(process.arguments), process.startedAt,
          process.readyAfter, process.losses.drops, process.losses.uncommitted,
          process.losses.lostImages, process.losses.unreadableSegments, process.calls.count,
          Data(TraceBlob.encode(process.calls)),
        ])
    }
  }
}

/// A list of strings in one column, as JSON, so that SQLite's own functions can take it apart.
enum JSONText {
  static func array(_ strings: [String]) -> String {
    (try? String(decoding: JSONEncoder().encode(strings), as: UTF8.self)) ?? "[]"
  }

  static func strings(_ text: String) -> [String]? {
    try? JSONDecoder().decode([String].self, from: Data(text.utf8))
  }
}
