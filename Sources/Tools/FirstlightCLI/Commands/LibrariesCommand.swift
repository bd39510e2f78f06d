import ArgumentParser
import DebugInfo
import FirstlightModel
import Inspection
import Recording
import SystemSupport

struct LibrariesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "libraries",
    abstract: "Shows the uses and start-up costs of a program's shared libraries.",
    discussion: """
        firstlight libraries .build/release/app
        firstlight record --no-rebuild -o app.flp .build/release/app
        firstlight libraries app.flp

      Resolves libraries and symbols as the loader does (RPATH, LD_LIBRARY_PATH, RUNPATH, \
      ld.so.cache, default directories), without running the program. For each library, shows the \
      binaries that need it, the symbols bound from it, its relocations and their pages, and its \
      initializers. Lists unused libraries.

      For a profile, also shows each library's first use, the time to map, relocate and \
      initialize it, libraries loaded with dlopen, and libraries not used before ready.

      Exit codes:
        0   resolved, whatever the findings
        65  not an executable, shared library or profile
        66  the file cannot be read

      Documentation/Libraries.md explains each number.
      """)

  @Argument(
    help: ArgumentHelp("The executable or shared library, or a profile.", valueName: "file"),
    completion: .file())
  var file: String

  @Option(help: "Output format: text or json.")
  var format: TextOrJSON = .text

  @Argument(
    parsing: .postTerminator, help: "Arguments of the program: ignored, as it does not run.")
  var arguments: [String] = []

  func run() throws {
    let report = try LibraryReport(ofFile: file)
    try Output.write(
      report, as: format,
      text: report.document(demangle: { Demangler.demangle($0) }).text(Output.style()))
  }
}
