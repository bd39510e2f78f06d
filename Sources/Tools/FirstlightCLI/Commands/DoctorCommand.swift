import ArgumentParser
import MachineInspection
import MachineProbing
import ReportFormats

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
    let report = MachineReport(MachineProbe.facts())
    let text = MachineReportText.text(report, coloured: Output.isColoured(nil))
    try Output.write(format == .json ? MachineReportJSON.text(report) : text, to: nil)
  }
}
