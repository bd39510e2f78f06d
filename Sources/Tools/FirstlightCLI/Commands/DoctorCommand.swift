import ArgumentParser
import Building
import FirstlightModel
import ProcessControl
import SystemSupport

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Shows what this machine allows, and what to do about the rest.",
    discussion: """
      Tries what commands need of the kernel, the toolchain and the current folder. Run it where \
      programs run, as in their container. Exits with 0, also if something is missing.
      """)

  @Option(help: "Output format: text or json.")
  var format: TextOrJSON = .text

  func run() throws {
    let report = MachineReport(
      MachineProbe.facts(
        folder: .current, tools: InstalledTool.all(), libraries: NeededLibrary.all()))
    try Output.write(
      report, as: format, text: MachineReportText.text(report, coloured: Output.style().isColoured))
  }
}
