import ArgumentParser
import FirstlightModel
import ProfileFile
import ReportFormats

/// Text for people or JSON for programs.
enum TextOrJSON: String, ExpressibleByArgument, CaseIterable {
  case text, json
}

struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Shows what a profile holds: builds, runs, counts, losses, machine, time observed.")

  @Argument(help: ArgumentHelp("The profile.", valueName: "file.flp"))
  var profile: String

  @Option(help: "text or json.")
  var format: TextOrJSON = .text

  func run() throws {
    let profile = try ProfileFile.read(profile)
    switch format {
    case .text: try Output.write(ProfileText.text(profile), to: nil)
    case .json: try Output.write(ProfileJSON.text(profile), to: nil)
    }
  }
}
