import ArgumentParser
import FirstlightModel
import SystemSupport

/// A command of ours that is asked about a fleet: it gets the fleet's profile and all options that are
/// not about the fleet.
private enum LocalCommand {
  static func run<Command: ProfileCommand>(
    _ command: Command.Type, _ origin: FleetOrigin, _ choice: FleetChoice, options: [String]
  ) async throws {
    // What is wrong with the options is said before anybody is asked.
    let command = try Command.parse(["fleet.flp"] + options)
    let source = try origin.source()
    let profile = try await source.profile(of: choice.query)
    for line in try await source.missingEvidence(of: choice.query) {
      Terminal.report("note: \(line)")
    }
    try command.run(on: profile)
  }
}

struct FleetOrderCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "order",
    abstract: "Makes a symbol order from a fleet's sampled traces.",
    discussion: "Takes all options of firstlight order as well.")

  @OptionGroup var origin: FleetOrigin
  @OptionGroup var choice: FleetChoice
  @Argument(parsing: .allUnrecognized, help: ArgumentHelp("Options of firstlight order."))
  var options: [String] = []

  func run() async throws {
    try await LocalCommand.run(OrderCommand.self, origin, choice, options: options)
  }
}

struct FleetDeadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dead",
    abstract: "Lists the functions that no run of a fleet called.",
    discussion: "Takes all options of firstlight dead as well.")

  @OptionGroup var origin: FleetOrigin
  @OptionGroup var choice: FleetChoice
  @Argument(parsing: .allUnrecognized, help: ArgumentHelp("Options of firstlight dead."))
  var options: [String] = []

  func run() async throws {
    try await LocalCommand.run(DeadCommand.self, origin, choice, options: options)
  }
}
