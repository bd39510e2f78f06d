import ArgumentParser
import Collector
import FirstlightModel
import FleetModel
import Glibc
import ProcessControl
import ProfileFile
import SystemSupport

/// A command of `firstlight` on a fleet's profile, which it reads from standard input.
private enum ProfileCommand {
  static func run(
    _ name: String, _ origin: FleetOrigin, _ choice: FleetChoice, options: [String]
  ) async throws {
    let source = try origin.source()
    let profile = try await source.profile(of: choice.query)
    for line in try await source.missingEvidence(of: choice.query) {
      Terminal.report("note: \(line)")
    }
    try profile.requireNames(address: source.address)
    // The file has no name, so it vanishes however the command ends.
    guard let temporary = tmpfile() else {
      throw Failure(.cannotCreate, "no file for the profile: \(ErrorText.of(errno))")
    }
    let file = fileno(temporary)
    let bytes = try ProfileFile.bytes(of: profile)
    do throws(SystemError) { try FileContents.write(bytes, to: file) } catch {
      throw Failure(.inputOutput, "cannot write the profile: \(error.text)")
    }
    lseek(file, 0, SEEK_SET)
    dup2(file, STDIN_FILENO)
    throw SiblingProgram("firstlight").replace(with: [name, "-"] + options)
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
    try await ProfileCommand.run("order", origin, choice, options: options)
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
    try await ProfileCommand.run("dead", origin, choice, options: options)
  }
}
