import ArgumentParser
import CoverageImport
import DebugInfo
import FirstlightModel
import ProfileFile
import Recording
import SystemSupport
import TextFormatting

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Imports coverage and profiles of other tools.",
    discussion: """
        firstlight import sancov app.123.sancov --binary app -o app.flp
        llvm-cov export --format=lcov -instr-profile=app.profdata app > app.info
        firstlight import lcov app.info --binary app -o app.flp
        llvm-profdata merge --text default.profraw -o app.proftext
        firstlight import llvm app.proftext --binary app -o app.flp

      Profiles that clang's -pgo-temporal-instrumentation made have the order of first calls, for \
      firstlight order. The other files serve firstlight dead.

      Each file counts as one run. A file that is imported twice is the same run: merge counts \
      it once.
      """)

  @Argument(
    help:
      "File format: sancov (sanitizer coverage), lcov (tracefiles) or llvm (text profiles).")
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
    let image = try DebugFiles.image(of: binary)
    guard image.hasSymbols else {
      throw Failure(
        .data, "\(binary): has no symbols",
        advice: "use the binary from before it was stripped")
    }
    let path = AbsolutePath.of(binary)
    let build =
      switch kind {
      case .sancov: try image.sanitizedBuild(recordedPath: path)
      case .lcov, .llvm: try image.sourceBuild(recordedPath: path)
      }
    var imported = ImportedProfile(kind, of: build, binary: binary)
    for file in files { try imported.add(file) }
    imported.finish()
    try ProfileFile.write(imported.profile, to: output)
    Terminal.report(
      "imported \(CountText.text(files.count, "run")), "
        + "\(CountText.number(imported.calledFunctions)) of "
        + "\(CountText.text(imported.functions, "function")) called -> \(output)")
  }
}

extension CoverageFormat: ExpressibleByArgument {}
