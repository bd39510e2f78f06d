import ArgumentParser
import FirstlightModel
import ProfileFile
import ReportFormats
import TextFormatting

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
    switch format {
    case .text: try Output.write(ProfileText.text(profile), to: nil)
    case .json: try Output.write(JSONForm.pretty(profile), to: nil)
    }
  }
}
