import ArgumentParser
import FirstlightModel
import ProcessControl

/// A command that the program firstlightd runs, because it has all code for fleets.
protocol FleetProgramCommand: ParsableCommand {
  var arguments: [String] { get }
}

extension FleetProgramCommand {
  func run() throws {
    throw SiblingProgram("firstlightd").replace(with: [Self._commandName] + arguments)
  }
}

struct FleetCommand: FleetProgramCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet",
    abstract: "Queries a firstlightd or its store.",
    usage: "firstlight fleet <subcommand> [<options>]",
    discussion: """
        firstlight fleet dead --from https://collector.example:8443

      Starts firstlightd's program, which has the stores: firstlight fleet --help shows its commands.
      """)

  @Argument(parsing: .captureForPassthrough, help: "A command with its options.")
  var arguments: [String] = []
}

struct UploadCommand: FleetProgramCommand {
  static let configuration = CommandConfiguration(
    commandName: "upload",
    abstract: "Sends profiles to a firstlightd.",
    usage: "firstlight upload [<options>] <file.flp | dir> ...",
    discussion: "firstlight upload --help shows its options.")

  @Argument(parsing: .captureForPassthrough, help: "Profiles, and options.")
  var arguments: [String] = []
}

struct UploadSymbolsCommand: FleetProgramCommand {
  static let configuration = CommandConfiguration(
    commandName: "upload-symbols",
    abstract: "Sends binaries or debug files to a firstlightd, for function names.",
    usage: "firstlight upload-symbols [<options>] <binary> ...",
    discussion: "firstlight upload-symbols --help shows its options.")

  @Argument(parsing: .captureForPassthrough, help: "Binaries, and options.")
  var arguments: [String] = []
}
