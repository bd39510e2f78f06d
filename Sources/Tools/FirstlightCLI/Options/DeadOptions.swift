import ArgumentParser
import DeadCode
import FirstlightModel
import ReportFormats

extension DeadFormat: ExpressibleByArgument {}
extension DeadCodeList.Sorting: ExpressibleByArgument {}

/// What all never-called lists can be asked, wherever their profile comes from.
struct DeadOptions: ParsableArguments {
  @Option(
    help: "text, json, csv, lcov, sarif, checkstyle, codeclimate, github-actions or html.")
  var format: DeadFormat = .text

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Where to write; by default standard output.", valueName: "file"))
  var output: String?

  @Option(
    help: ArgumentHelp(
      "Only functions of these Swift modules; for other languages, of these images. May be "
        + "repeated.", valueName: "glob"))
  var module: [String] = []

  @Option(
    help: ArgumentHelp(
      "Only functions declared in these source files. May be repeated.", valueName: "glob"))
  var path: [String] = []

  @Option(
    help: ArgumentHelp(
      "No functions of these modules or source files. May be repeated.", valueName: "glob"))
  var exclude: [String] = []

  @Option(help: ArgumentHelp("Only functions of at least so many bytes.", valueName: "n"))
  var minBytes: UInt64 = 0

  @Option(help: "By bytes, file, module or run-share.")
  var sort: DeadCodeList.Sorting = .module

  @Option(
    help: ArgumentHelp(
      "Leave out what this baseline knows; gates count the rest.", valueName: "file"))
  var baseline: String?

  @Option(
    help: ArgumentHelp("Write what is never called now to a baseline.", valueName: "file"))
  var writeBaseline: String?

  @Flag(help: "End with 1 if a function is listed, or a keep is stale.")
  var strict = false

  @Option(help: ArgumentHelp("End with 1 if more functions are listed.", valueName: "n"))
  var maxDead: Int?

  @Option(help: ArgumentHelp("End with 1 if the listed functions have more bytes.", valueName: "n"))
  var maxDeadBytes: UInt64?

  @Option(
    help: ArgumentHelp(
      "No list, and exit code 2, if fewer runs were watched, in all or of a function that is listed.",
      valueName: "n"))
  var minRuns: Int?

  @Option(
    help: ArgumentHelp(
      "No list, and exit code 2, if less time was watched over all runs: 90s, 15m, 24h, 7d.",
      valueName: "duration"))
  var minTime: TimeSpan?

  @Option(
    help: ArgumentHelp(
      "List functions too that a smaller share of the runs called: 0.01 or 1%.",
      valueName: "share"))
  var below: Share?

  @Option(
    help: ArgumentHelp(
      "Say who owns what, by this CODEOWNERS file; its patterns begin at the working directory.",
      valueName: "file"))
  var owners: String?

  @Option(
    help: ArgumentHelp(
      "Where sources are now that were elsewhere when they were compiled. May be repeated.",
      valueName: "from=to"))
  var pathMap: [String] = []

  @Option(
    help: ArgumentHelp(
      "The linker's output with --print-gc-sections: what it dropped is known too.",
      valueName: "file"))
  var gcSections: String?

  @Flag(help: "List all functions with their verdicts, compiler-generated ones too.")
  var all = false

  func validate() throws {
    if let bad = pathMap.first(where: { !$0.contains("=") || $0.hasPrefix("=") }) {
      throw ValidationError("--path-map is FROM=TO, not '\(bad)'.")
    }
    if let maxDead, maxDead < 0 { throw ValidationError("--max-dead is a number of at least 0.") }
    if let minRuns, minRuns < 1 { throw ValidationError("--min-runs is a number of at least 1.") }
  }
}
