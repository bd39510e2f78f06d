import ArgumentParser
import FirstlightModel
import Glibc
import Startup
import SystemSupport

struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Measures whether one of two builds of a program starts faster.",
    usage: """
      firstlight compare BINARY_A BINARY_B [--runs N] [--cold|--warm]
        [--until EVENT] [--timeout TIME] [--drop-caches] [--ignore-failure]
        [--format text|json|html|markdown] [-o FILE] [--env NAME=VALUE] ...
        [--stdin FILE] [--prepare COMMAND] [-- ARG ...]
      """,
    discussion: """
        firstlight compare ./old ./new
        firstlight compare ./old ./new --until port:8080 -- --port 8080

      Both binaries get the same arguments and input; their output is discarded. After a \
      warm-up they run in pairs, in random order within each pair. Each run gives the time to \
      ready, page faults, pages read and memory. A rank test (Mann-Whitney, 5% level, adjusted \
      for the number of rows) decides whether a difference is more than chance.

      Cold runs start with the pages of the binary and its shared libraries dropped from the page \
      cache. That needs no privileges. Pages that other processes have mapped stay; if that \
      favours one binary, times and faults are not compared, and the result says so. \
      --drop-caches drops all of the system's caches and needs root. The default is cold where \
      possible and fair, else warm.

      One more start of each shows which pages of the files it touches. \
      Documentation/Compare.md explains each number.

      Exit codes (others: see firstlight --help):
        0   measured, whatever the result
        65  a binary crashed, was not ready in time, or failed (see --ignore-failure)
        66  a binary cannot be read
        69  the files cannot be dropped from the cache, or the port is in use
      """)

  @Argument(help: ArgumentHelp("The first binary.", valueName: "binary-a"), completion: .file())
  var binaryA: String

  @Argument(help: ArgumentHelp("The second binary.", valueName: "binary-b"), completion: .file())
  var binaryB: String

  @Option(help: "Measured runs of each binary, 5 to 1000.")
  var runs = 10

  @Flag(help: "Start each run with the files dropped from the page cache; fail if impossible.")
  var cold = false

  @Flag(help: "Start each run with the files in the page cache.")
  var warm = false

  @Flag(help: "Drop all of the system's caches before each cold run (needs root).")
  var dropCaches = false

  @Flag(help: "Accept a nonzero exit status if both programs have the same.")
  var ignoreFailure = false

  @OptionGroup var moment: MomentOptions

  @OptionGroup var settings: SurroundingsOptions

  @OptionGroup var report: ReportOptions<ComparisonFormat>

  @Argument(parsing: .postTerminator, help: "Arguments of both binaries.", completion: .file())
  var arguments: [String] = []

  func validate() throws {
    guard (5...1000).contains(runs) else {
      throw ValidationError(
        "--runs must be 5 to 1000: fewer runs cannot separate a difference from chance.")
    }
    guard !(cold && warm) else { throw ValidationError("Choose either --cold or --warm.") }
    guard !(dropCaches && warm) else {
      throw ValidationError("--drop-caches is for cold runs: leave out --warm.")
    }
  }

  func run() throws {
    try ResultFile.checkWritable(report.output)
    let runner = ComparisonRunner(
      a: try MeasuredBinary("A", binaryA), b: try MeasuredBinary("B", binaryB),
      meter: try StartupMeter(
        moment: moment.until, arguments: arguments, timeout: moment.timeout.seconds,
        surroundings: settings.surroundings),
      runs: runs,
      cold: cold || dropCaches ? true : warm ? false : nil, dropsAllCaches: dropCaches,
      allowsFailure: ignoreFailure)
    let comparison = try runner.run()
    Terminal.clearProgress()
    try Output.write(
      report.format.text(comparison, style: Output.style(report.output)),
      to: report.output)
  }
}

extension ComparisonFormat: OutputFormat {}
