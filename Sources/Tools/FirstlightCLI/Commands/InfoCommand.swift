import ArgumentParser
import FirstlightModel
import Inspection
import ProfileFile
import SystemSupport

struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Shows the contents of a profile: builds, runs, counts, losses, machine, time.")

  @Argument(help: ArgumentHelp("The profile.", valueName: "file.flp"), completion: .profile)
  var profile: String

  @Option(help: "Output format: text or json.")
  var format: TextOrJSON = .text

  func run() throws {
    let profile = try ProfileFile.read(profile)
    try Output.write(profile, as: format, text: ProfileText.text(profile))
  }
}
