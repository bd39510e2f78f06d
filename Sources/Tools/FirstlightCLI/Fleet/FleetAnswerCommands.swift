import ArgumentParser
import FirstlightModel
import FleetAPI
import FleetModel
import SystemSupport

/// Runs a command on a fleet's profile, with the options that do not choose the fleet.
private enum LocalCommand {
  static func run<Command: ProfileCommand>(
    _ command: Command.Type, _ origin: FleetOrigin, _ choice: FleetChoice, options: [String]
  ) async throws {
    // Wrong options are reported before the fleet is queried.
    let command = try Command.parse(["fleet.flp"] + options)
    let source = try origin.source()
    let profile = try await source.profile(of: choice.query)
    for line in try await source.missingEvidence(of: choice.query) {
      Terminal.report("note: \(line)")
    }
    try profile.requireNames(address: source.address)
    try command.run(on: profile)
  }
}

struct FleetOrderCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "order",
    abstract: "Writes a symbol order from a fleet's sampled traces.",
    usage: "firstlight fleet order --from <url> [<options>]",
    discussion: """
        firstlight fleet order --from https://collector.example:8443 \\
          --program server -o server.order

      Accepts all options of firstlight order as well.
      """)

  @OptionGroup var origin: FleetOrigin
  @OptionGroup var choice: FleetChoice
  @Argument(parsing: .allUnrecognized, help: "Options of firstlight order.")
  var options: [String] = []

  func run() async throws {
    try await LocalCommand.run(OrderCommand.self, origin, choice, options: options)
  }
}

struct FleetDeadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dead",
    abstract: "Lists the functions that no run of a fleet called.",
    usage: "firstlight fleet dead --from <url> [<options>]",
    discussion: """
        firstlight fleet dead --from sqlite:fleet.sqlite --program server

      Accepts all options of firstlight dead as well.
      """)

  @OptionGroup var origin: FleetOrigin
  @OptionGroup var choice: FleetChoice
  @Argument(parsing: .allUnrecognized, help: "Options of firstlight dead.")
  var options: [String] = []

  func run() async throws {
    try await LocalCommand.run(DeadCommand.self, origin, choice, options: options)
  }
}
