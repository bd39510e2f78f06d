import ArgumentParser
import Building
import FirstlightModel
import Glibc
import SystemSupport

struct OptimizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "optimize",
    abstract: "Relinks a program for a faster start, and measures old against new.",
    usage: """
      firstlight optimize --binary PATH --build 'COMMAND' [--until EVENT]
        [--runs N] [--also OPTION] ... [-o DIR] [-- ARG ...]
      """,
    discussion: """
        firstlight optimize --binary .build/release/app \\
          --build 'swift build -c release' --until http:8080/health -- --port 8080
        firstlight optimize --binary ./app \\
          --build 'make clean && make CFLAGS="-O2 {cflags}" LDFLAGS="{flags}"'

      Builds the program as you do and again with a section for each function, records some runs, \
      relinks it in start-up order with packed relocations, page prefetch and, for Swift's static \
      library, an index of conformances, verifies the order, builds with the result as the last line \
      says, and measures old against new. Before it starts, a line says how many builds, links and \
      starts of the program that takes.

      In a build command other than swift build, \
      {flags} stands for the linker flags, as a C compiler takes them, and {cflags} for the \
      compiler flags. make does not recompile when only flags change: begin with make clean. The \
      order needs lld: ld.lld on PATH or, with swift build, from the toolchain. The file at PATH \
      and the objects of your build stay as your own build makes them, also if a signal ends this.

      The first line says whether the new build is recommended: for a gain of 5% or more without \
      a loss (Documentation/Optimizing.md). The last line is your build command with one file of \
      flags from DIR: a toolset for SwiftPM, a response file for C compilers.

      DIR gets before/ and after/ with the two programs, the profile, the order, the flags, object \
      files to link, the comparison as HTML and JSON, and logs. Earlier results stay until new \
      ones are complete. The program behaves as before; changes with a drawback are listed, and \
      made only with --also.

      Exit codes (others: see firstlight --help):
        0   done, whatever the gain
        65  the build failed or ignored the flags, or the program did not start up
            or needs a newer glibc than --target-glibc
        66  a file cannot be read
        69  ptrace is not allowed, or the port is in use
        73  DIR cannot be written
      """)

  @Option(
    help: ArgumentHelp("The program that the build produces.", valueName: "path"),
    completion: .file())
  var binary: String

  @Option(help: ArgumentHelp("The command that builds the program.", valueName: "command"))
  var build: String

  @Option(help: "Measured runs of each program, 5 to 1000.")
  var runs = 10

  @Option(help: ArgumentHelp("Runs to record, 1 to 100.", valueName: "runs"))
  var recordedRuns = 3

  @OptionGroup var moment: MomentOptions

  @Option(
    help: ArgumentHelp(
      "Opt-in option with a drawback: "
        + "\(OptInOptimization.allCases.map(\.rawValue).joined(separator: ", ")). Repeatable.",
      valueName: "option"))
  var also: [OptInOptimization] = []

  @Flag(help: "Do not prefetch pages before main.")
  var noPrefetch = false

  @Option(
    help: ArgumentHelp(
      "glibc of the machines that will run the program, such as 2.31 (default: this machine's). "
        + "Without 2.36, relocations are not packed; what needs a newer one is refused.",
      valueName: "version"))
  var targetGlibc: GlibcVersion?

  @Option(help: .init(OptionalStep.help, valueName: "step")) var without: [OptionalStep] = []

  @Flag(help: "Compare with the files dropped from the page cache; fail if impossible.")
  var cold = false

  @Flag(help: "Compare with the files in the page cache.")
  var warm = false

  @OptionGroup var variables: EnvironmentOptions

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Directory for the results (default: PROGRAM.firstlight in the current one).",
      valueName: "dir"), completion: .directory)
  var output: String?

  @Argument(parsing: .postTerminator, help: "Arguments of the program.", completion: .file())
  var arguments: [String] = []

  func validate() throws {
    guard (1...100).contains(recordedRuns) else {
      throw ValidationError("--recorded-runs must be 1 to 100.")
    }
    guard (5...1000).contains(runs) else {
      throw ValidationError(
        "--runs must be 5 to 1000: fewer cannot separate a difference from chance.")
    }
    guard !(cold && warm) else { throw ValidationError("Choose either --cold or --warm.") }
  }

  func run() throws {
    let recipe = try BuildRecipe(build)
    let results = try ResultDirectory(
      output ?? "\(BaseName.of(binary)).firstlight", program: binary)
    let optimizer = Optimizer(
      builder: ProductBuilder(recipe: recipe, path: binary, results: results), results: results,
      moment: moment.until, arguments: arguments, timeout: moment.timeout.seconds,
      runs: recordedRuns, comparedRuns: runs, cold: cold ? true : warm ? false : nil, optIns: also,
      prefetches: !noPrefetch, target: targetGlibc,
      looksUpConformances: !without.contains(.conformances), environment: variables.environment)
    let outcome = try optimizer.run()
    try outcome.publish()
    try Output.write(outcome.text(Output.style()), to: nil)
  }
}

extension OptInOptimization: ExpressibleByArgument {}
extension OptionalStep: ExpressibleByArgument {}

extension GlibcVersion: ExpressibleByArgument {
  package init?(argument: String) { self.init(argument) }
}
