import ArgumentParser
import FirstlightModel
import FleetAPI
import FleetModel
import Glibc
import HTTPTransport
import ReportFormats
import TextFormatting

/// Takes a build out of a store.
struct FleetForgetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Removes a build from a fleet: counts, functions, sampled traces.",
    discussion: """
        firstlight fleet forget --from https://collector.example:8443 \\
          --build-id 4f2a91c0
        firstlight fleet forget --from sqlite:fleet.sqlite --build-id 4f2a91c0

      Use it for forged reports. Reports that are sent again do not count again. The store notes in its \
      table audit what was removed, when and by whom. A firstlightd wants a token of the role admin, from \
      FIRSTLIGHT_TOKEN.
      """)

  @OptionGroup var origin: FleetOrigin

  @Option(help: ArgumentHelp("The build, by its first digits.", valueName: "id"))
  var buildID: String

  @Flag(help: "Say what would be removed, and remove nothing.")
  var dryRun = false

  func run() async throws {
    let source = try origin.source(writes: !dryRun)
    // One binary that was watched in two ways is two builds of one id.
    let found = try await source.builds(beginning: buildID)
    guard let first = found.first else {
      throw Failure(
        .noInput, "\(origin.from): no build id begins with \(buildID)",
        advice: "see them with: firstlight fleet builds --from \(origin.from)")
    }
    guard found.allSatisfy({ $0.buildID == first.buildID }) else {
      throw Failure(
        .data, "several build ids begin with \(buildID)", advice: "give more digits of it")
    }
    for build in found {
      let what =
        "\(build.program), build id \(build.buildID): \(CountText.text(build.runs, "run"))"
      if !dryRun { try await source.forget(build) }
      print(dryRun ? "would forget \(what)" : "forgot \(what)")
    }
  }
}
