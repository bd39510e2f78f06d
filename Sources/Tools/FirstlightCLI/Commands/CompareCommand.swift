import ArgumentParser
import FirstlightModel
import Glibc
import ReportFormats
import StartupComparison
import StartupMeasurement
import SystemSupport

struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Measures whether one of two builds of a program starts faster.",
    usage: """
      firstlight compare BINARY_A BINARY_B [--runs N] [--cold|--warm] [--until MOMENT]
        [--timeout TIME] [--drop-caches] [--ignore-failure] [--format text|json|html] [-o FILE] [-- ARG ...]
      """,
    discussion: """
      Both get the same arguments, no input, and their output is thrown away. After a warm-up they \
      run in turn, in pairs whose first is drawn by lot; for each run: time to the moment of ready, \
      page faults, pages of the binary read, memory by kind. A difference is called one if a rank \
      test (Mann-Whitney, adjusted for the number of rows) finds it at the level of 5%; else "no \
      measurable difference".

      Cold: before each run the pages of the binary and of the shared libraries it maps are dropped \
      from the page cache. Pages that other processes have mapped stay. Where that spares one of the \
      two more reading than the other, cold starts are no even comparison: the result says so first, and \
      compares no times and no faults. No rights are needed to drop pages; --drop-caches drops all of \
      the system's as well and needs root. Without --cold and --warm: cold if that can be done and is \
      even; the first line says which.

      Which pages of the files are touched comes from one more start of each, in which each page is \
      a mapping of its own. Documentation/Compare.md tells what each number means.

      Exit code: 0 measured, whatever was found; 64 the command line is wrong; 65 a binary crashed, \
      ended before it was ready, did not get ready in time, or ended with an exit status that is not 0 \
      (--ignore-failure allows it) or not that of the other; 66 a binary cannot be read; 69 it cannot be made cold, or the port is in use; 71 the \
      system refused; 73 the output cannot be written.
      """)

  /// What the result is written as.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json, html
  }

  @Argument(help: ArgumentHelp("The first binary.", valueName: "binary-a"))
  var binaryA: String

  @Argument(help: ArgumentHelp("The second binary.", valueName: "binary-b"))
  var binaryB: String

  @Option(help: "Measured runs of each, 5 to 1000.")
  var runs = 10

  @Flag(help: "Start each run with the files' pages dropped, and fail where that cannot be done.")
  var cold = false

  @Flag(help: "Start each run with the files' pages in memory.")
  var warm = false

  @Flag(help: "Before a cold run drop all of the system's caches (root).")
  var dropCaches = false

  @Flag(help: "Measure programs that end with another exit status than 0, as long as both do.")
  var ignoreFailure = false

  @OptionGroup var moment: MomentOptions

  @Option(help: "text, json or html.")
  var format: Format = .text

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Where to write; by default standard output.", valueName: "file"))
  var output: String?

  @Argument(parsing: .postTerminator, help: "Arguments that both binaries get.")
  var arguments: [String] = []

  func validate() throws {
    guard (5...1000).contains(runs) else {
      throw ValidationError(
        "--runs has to be 5 to 1000: of fewer runs no test can tell a difference from chance.")
    }
    guard !(cold && warm) else { throw ValidationError("Choose --cold or --warm.") }
    guard !(dropCaches && warm) else {
      throw ValidationError("--drop-caches makes runs cold: leave out --warm.")
    }
  }

  func run() throws {
    let runner = ComparisonRunner(
      a: try MeasuredBinary("A", binaryA), b: try MeasuredBinary("B", binaryB),
      meter: try StartupMeter(
        moment: moment.until, arguments: arguments, timeout: moment.timeout.seconds),
      runs: runs,
      cold: cold || dropCaches ? true : warm ? false : nil, dropsAllCaches: dropCaches,
      allowsFailure: ignoreFailure)
    let comparison = try runner.run()
    Terminal.clearProgress()
    switch format {
    case .text: try Output.write(ComparisonText.text(comparison), to: output)
    case .json: try Output.write(ComparisonJSON.text(comparison), to: output)
    case .html: try Output.write(ComparisonHTML.text(comparison), to: output)
    }
  }
}
