import ArgumentParser
import ClickHouseStore
import FirstlightModel
import FleetModel
import Glibc
import HTTPTransport
import ReportFormats
import SQLiteFleetStore
import TextFormatting

/// Takes a build out of a store.
struct FleetForgetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Removes all that a store has of a build: counts, functions, sampled traces.",
    discussion: """
        firstlight fleet forget --from sqlite:fleet.sqlite --build-id 4f2a91c0

      Use it for forged reports. Reports that are sent again do not count again. The store notes in its \
      table audit what was removed and when.
      """)

  @Option(
    help: ArgumentHelp("The store itself.", valueName: "sqlite:PATH | clickhouse:URL"))
  var from: String

  @Option(help: ArgumentHelp("The build, by its first digits.", valueName: "id"))
  var buildID: String

  @Flag(help: "Say what would be removed, and remove nothing.")
  var dryRun = false

  func run() async throws {
    let store = try Self.store(from)
    let found = try await store.builds(BuildFilter(buildID: buildID), page: Page(limit: 2))
    guard let build = found.first else {
      throw Failure(
        .noInput, "\(store.name): no build id begins with \(buildID)",
        advice: "see them with: firstlight fleet builds --from \(from)")
    }
    guard found.count == 1 else {
      throw Failure(
        .data, "several build ids begin with \(buildID)", advice: "give more digits of it")
    }
    let what =
      "\(build.program), build id \(build.key.buildID): \(CountText.text(build.totals.runs, "run"))"
    if dryRun { return print("would forget \(what)") }
    try await store.prepare()
    _ = try await store.forget(build.key)
    print("forgot \(what)")
  }

  private static func store(_ from: String) throws -> any FleetStore {
    if from.hasPrefix("sqlite:") {
      let path = String(from.dropFirst(7))
      guard access(path, R_OK | W_OK) == 0 else {
        throw Failure(.noInput, "\(path): \(String(cString: strerror(errno)))")
      }
      return try SQLiteFleetStore(path: path)
    }
    guard from.hasPrefix("clickhouse:") else {
      throw Failure(
        .usage, "\"\(from)\" is not a store", advice: "write sqlite:PATH or clickhouse:URL")
    }
    return ClickHouseFleetStore(
      try ClickHouseAddress(String(from.dropFirst(11))), transport: try HTTPTransport())
  }
}
