import ArgumentParser
import ProfileFile
import Recording
import SystemSupport
import TraceReader

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Imports coverage and profiles of other tools.",
    discussion: """
        firstlight import sancov app.123.sancov --binary app -o app.flp
        llvm-cov export --format=lcov -instr-profile=app.profdata app > app.info
        firstlight import lcov app.info --binary app -o app.flp
        firstlight import llvm default.profraw --binary app -o app.flp

      Without a coverage mapping in the binary, profiles of LLVM are read as text (llvm-profdata \
      merge --text). Those of clang's -pgo-temporal-instrumentation have the order of first calls, \
      for firstlight order. The other files serve firstlight dead.

      Each file counts as one run. A file that is imported twice is the same run: merge counts \
      it once.
      """)

  @Argument(
    help:
      "File format: sancov (sanitizer coverage), lcov (tracefiles) or llvm (counters).")
  var kind: CoverageFormat

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
    let imported = try ImportedFiles.read(files, as: kind, of: binary)
    try ProfileFile.write(imported.profile, to: output)
    Terminal.report(
      "imported \(CountText.text(files.count, "run")), "
        + "\(CountText.number(imported.calledFunctions)) of "
        + "\(CountText.text(imported.functions, "function")) called -> \(output)")
  }
}

extension CoverageFormat: ExpressibleByArgument {}
