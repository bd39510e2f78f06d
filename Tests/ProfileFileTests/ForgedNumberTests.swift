import FirstlightModel
import TestSupport
import Testing

@testable import ProfileFile

/// Numbers that no recording has, as any SQLite tool can put into a profile.
@Suite struct ForgedNumberTests {
  private static let integers = ["9223372036854775807", "-9223372036854775808", "-1", "2147483648"]
  private static let reals = ["9e999", "-9e999", "1e300", "-1.0", "1.7e308"]

  /// The columns of a profile that hold numbers, but for identities and digests, which any number may be.
  private static let columns: [(table: String, column: String, isReal: Bool)] = [
    ("build", "guards", false), ("build", "runs", false), ("build", "counted_runs", false),
    ("function", "id", false), ("function", "code", false), ("function", "name", false),
    ("function", "size", false), ("function", "line", false), ("function", "file", false),
    ("name", "module", false), ("alias", "function", false), ("copy", "function", false),
    ("copy", "guard", false), ("demangled", "size", false),
    ("coverage", "guard", false), ("coverage", "runs", false), ("coverage", "first_seen", true),
    ("coverage", "last_seen", true), ("unwatched", "guard", false), ("merged_body", "guard", false),
    ("counter", "function", false), ("counter", "runs", false),
    ("counted_process", "functions", false), ("counter", "first_seen", true),
    ("counter", "last_seen", true), ("run", "cores", false),
    ("run", "started_at", true), ("run", "ended_at", true), ("process", "pid", false),
    ("process", "parent_pid", false), ("process", "started_at", true),
    ("process", "ready_after", true), ("process", "drops", false),
    ("process", "uncommitted", false), ("process", "lost_images", false),
    ("process", "unreadable_segments", false), ("process", "calls", false),
    ("process", "unrecorded_processes", false), ("process", "running_processes", false),
    ("mark", "thread", false), ("mark", "time", false), ("mark", "duration", false),
    ("unlisted", "runs", false), ("unlisted", "processes", false), ("unlisted", "seconds", true),
    ("unlisted", "drops", false), ("unlisted", "windows", false),
    ("unlisted", "window_seconds", true),
  ]

  private static func profile() -> Profile {
    var profile = ProfileFileTests.profile()
    profile.unlisted.add(problem: "one")
    profile.unlisted.runs = 1
    return profile
  }

  /// The profile's bytes after a statement.
  private static func forged(_ statement: String) throws -> [UInt8] {
    let database = try ProfileWriter.database(of: profile())
    try database.execute(statement)
    return try database.withContents { Array($0) }
  }

  @Test func everyColumnHasARange() throws {
    for (table, column, isReal) in Self.columns {
      for number in isReal ? Self.reals : Self.integers where isReal || number != "2147483648" {
        let statement = "UPDATE OR IGNORE \(table) SET \(column) = \(number)"
        let forged = try Self.forged(statement)
        let failure = #expect(throws: Failure.self, "\(statement)") {
          try ProfileFile.read(bytes: forged)
        }
        #expect(failure?.kind == .data)
      }
    }
  }

  /// Whatever numbers a profile has, it is refused, or can be added up and written again.
  @Test func mutatedNumbersNeverEndTheProcess() throws {
    var random = SplitMix64(state: 53)
    var read = 0
    for _ in 0..<300 {
      let statement = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        let (table, column, isReal) = Self.columns.randomElement(using: &random)!
        let number =
          isReal
          ? "\(Double.random(in: 0...5e9, using: &random))"
          : "\(Int.random(in: 0...(1 << 42), using: &random) >> Int.random(in: 0...42, using: &random))"
        return "UPDATE OR IGNORE \(table) SET \(column) = \(number);"
      }.joined()
      let forged = try Self.forged(statement)
      do throws(Failure) {
        var profile = try ProfileFile.read(bytes: forged)
        read += 1
        var other = profile
        for index in other.runs.indices { other.runs[index].id += "2" }
        for index in other.processes.indices { other.processes[index].run += "2" }
        try profile.merge(other)
        try profile.merge(Self.profile())
        try ProfileFile.write(profile.sorted(), to: "/dev/null")
        _ = profile.losses
      } catch {
        #expect(error.kind == .data, "\(statement)")
      }
    }
    #expect(read > 30)
  }
}
