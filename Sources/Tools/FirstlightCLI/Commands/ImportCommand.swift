import ArgumentParser
import FirstlightModel
import ProfileFile
import Recording
import SystemSupport

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Imports profiles of LLVM's instrumentation.",
    discussion: """
        firstlight import llvm default.profraw --binary app -o app.flp

      Reads raw, indexed and text profiles with the llvm-profdata of the compiler. \
      Those of clang's -pgo-temporal-instrumentation have the order of first calls, for \
      firstlight order. The others serve firstlight dead.

      Each file counts as one run. A file that is imported twice is the same run: merge counts \
      it once. Files of another build are refused. A text, or a profile of a binary without a \
      build id, does not say which build it is of; a warning names it.

      LCOV tracefiles and sancov files cannot be imported: they name functions by name or \
      address alone, and no build. Import the profile that an LCOV tracefile was made from.
      """)

  /// Tools that make profiles.
  enum Source: String, CaseIterable, ExpressibleByArgument { case llvm }

  @Argument(help: "The tool that made the files: llvm.")
  var source: Source

  @Argument(help: ArgumentHelp("The files.", valueName: "file"), completion: .file())
  var files: [String]

  @Option(
    help: ArgumentHelp(
      "The executable or shared library that ran, not stripped.", valueName: "file"),
    completion: .file())
  var binary: String

  @Option(
    name: .shortAndLong, help: ArgumentHelp("Output profile.", valueName: "file.flp"),
    completion: .profile)
  var output: String

  func run() throws {
    let imported = try ImportedFiles.read(files, of: binary)
    try ProfileFile.write(imported.profile, to: output)
    Terminal.report(
      "imported \(CountText.text(imported.profile.runs.count, "run")), "
        + "\(CountText.number(imported.calledFunctions)) of "
        + "\(CountText.text(imported.functions, "function")) called -> \(output)")
  }
}
