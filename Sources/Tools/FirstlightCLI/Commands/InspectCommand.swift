import ArgumentParser
import DebugInfo
import FirstlightModel
import Inspection
import Recording
import Startup
import SystemSupport

struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Shows the start-up costs of a binary, worst first, each with a remedy.",
    discussion: """
        firstlight inspect .build/release/app

      Reads the file without running it: relocations, exported symbols, shared libraries, \
      initializers, code, debug information, instrumentation, sections. An "up to" cost depends \
      on the pages that the program touches; `firstlight compare` measures it.

      --map also shows functions that share an input section, which no order can separate. Link \
      with -Wl,-Map=FILE (lld, gold or GNU ld) to get the map.

      Exit codes:
        0   inspected, whatever the findings
        65  not an executable or shared library
        66  the file cannot be read
      """)

  @Argument(
    help: ArgumentHelp("The executable or shared library.", valueName: "binary"),
    completion: .file())
  var binary: String

  @Option(help: "Output format: text or json.")
  var format: TextOrJSON = .text

  @Option(help: ArgumentHelp("Linker map of this binary.", valueName: "file"), completion: .file())
  var map: String?

  func run() throws {
    let image = try DebugImage(path: binary)
    let facts = try image.facts()
    let report = BinaryReport(
      facts, libraries: LibraryUse.all(of: facts), input: try map.map { try input($0, facts) },
      conformances: image.conformances)
    try Output.write(report, as: format, text: BinaryReportText.text(report))
  }

  private func input(_ path: String, _ facts: BinaryFacts) throws(Failure) -> SharedSections {
    let sections = try LinkMapFile.read(path)
    guard !facts.functionStarts.isEmpty else {
      throw Failure(
        .data, "\(binary): has no symbols, which --map needs",
        advice: "use the binary from before it was stripped")
    }
    return SharedSections(
      sections, functionStarts: facts.functionStarts, code: facts.sections.filter(\.isExecutable))
  }
}
