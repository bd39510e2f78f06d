import ArgumentParser
import Collector
import FirstlightModel
import FleetModel
import Glibc
import HTTPTransport
import SystemSupport

/// Removes a build from a store.
struct FleetForgetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Removes a build from a fleet: counts, functions, sampled traces.",
    usage: "firstlight fleet forget --from <url> --build-id <id> [<options>]",
    discussion: """
        firstlight fleet forget --from https://collector.example:8443 \\
          --build-id 4f2a91c0
        firstlight fleet forget --from sqlite:fleet.sqlite --build-id 4f2a91c0

      Use it for forged reports. Reports of the build that are sent again are not counted again. \
      The store's table audit records each removal with time and user. A firstlightd requires a \
      token of the role admin in FIRSTLIGHT_TOKEN.
      """)

  @OptionGroup var origin: FleetOrigin

  @Option(help: ArgumentHelp("The build, by the first digits of its id.", valueName: "id"))
  var buildID: String

  @Flag(help: "Show what would be removed, without removing it.")
  var dryRun = false

  func run() async throws {
    let source = try origin.source(writes: !dryRun)
    if !dryRun { try await source.prepare() }
    // A binary that was recorded in both ways (guards, breakpoints) has two builds with one id.
    var found = try await source.builds(beginning: buildID)
    // A forged id may be the short form of another one. Only the forged one is then removed by it.
    if found.contains(where: { $0.buildID == buildID }) {
      found = found.filter { $0.buildID == buildID }
    }
    guard let first = found.first else {
      throw Failure(
        .noInput, "\(origin.from): no build id begins with \(buildID)",
        advice: "list them with: firstlight fleet builds --from \(origin.from)")
    }
    guard found.allSatisfy({ $0.buildID == first.buildID }) else {
      throw Failure(
        .data, "several build ids begin with \(buildID)", advice: "pass more digits")
    }
    for build in found {
      let what =
        "\(build.program), build id \(build.buildID): \(CountText.text(build.runs, "run"))"
      if !dryRun { try await source.forget(build) }
      try Output.line(dryRun ? "would remove \(what)" : "removed \(what)")
    }
  }
}
