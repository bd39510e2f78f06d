import ArgumentParser
import BinaryInspection
import DebugInfo
import FirstlightModel
import LibraryResolution
import ReportFormats
import StartupComparison
import StartupMeasurement

struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Shows what a binary's start-up pages in, worst first, and what to do about it.",
    discussion: """
      Reads the file and runs nothing: relocations, exported symbols, shared libraries, \
      initializers, code, debug information, instrumentation, sections. A cost of "up to" so many \
      pages depends on what the program touches: `firstlight compare` measures it.

      Which functions share an input section, so that no order can part them, the linked file does \
      not say. A map does: link with -Wl,-Map=FILE (lld, gold or GNU ld) and give it with --map.

      Exit code: 0 whatever is found; 65 not an executable or shared library; 66 cannot be read.
      """)

  @Argument(help: ArgumentHelp("The executable or shared library.", valueName: "binary"))
  var binary: String

  @Option(help: "text or json.")
  var format: TextOrJSON = .text

  @Option(help: ArgumentHelp("The linker's map of this binary.", valueName: "file"))
  var map: String?

  func run() throws {
    let facts = try DebugImage(path: binary).facts()
    let account = BinaryReport(
      facts, libraries: LibrarySearch.uses(facts), input: try map.map { try input($0, facts) })
    switch format {
    case .text: try Output.write(BinaryReportText.text(account), to: nil)
    case .json: try Output.write(BinaryReportJSON.text(account), to: nil)
    }
  }

  private func input(_ path: String, _ facts: BinaryFacts) throws(Failure) -> SharedSections {
    let sections = try LinkMapFile.read(path)
    guard !facts.functionStarts.isEmpty else {
      throw Failure(
        .data, "\(binary): has no symbols: which sections hold several functions is not known",
        advice: "name the binary as it was before it was stripped")
    }
    return SharedSections(
      sections, functionStarts: facts.functionStarts, code: facts.sections.filter(\.isExecutable))
  }
}
