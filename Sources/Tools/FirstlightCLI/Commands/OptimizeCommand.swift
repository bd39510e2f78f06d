import ArgumentParser
import BuildOptimizer
import FirstlightModel
import Glibc
import ReportFormats

struct OptimizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "optimize",
    abstract: "Relinks a program for a faster start, and measures old against new.",
    usage: """
      firstlight optimize --binary PATH --build 'COMMAND' [--until MOMENT] [--runs N]
        [--also LEVER] ... [-o DIR] [-- ARG ...]
      """,
    discussion: """
      Builds the program as you do, then with a section for each function; records runs of it \
      through breakpoints; links it again with its functions in the order of their first calls, \
      packed relocations, and a request to the kernel, before main, for the pages that its start-up \
      touches; verifies the order; compares both start-ups. All in all it costs one more full build, \
      a few links and some ten starts of the program.

        firstlight optimize --binary .build/release/app \\
          --build 'swift build -c release' --until http:8080/health -- --port 8080
        firstlight optimize --binary ./app \\
          --build 'make CFLAGS="-O2 {cflags}" LDFLAGS="{flags}"'

      A SwiftPM package is built for this in a folder of its own in DIR. In any other command \
      {flags} stands for the linker's flags, in a C compiler's words, and {cflags} for the \
      compiler's; make does not compile anew when flags change, so begin with make clean. The file \
      at PATH is left as your own build makes it. The order needs lld: ld.lld has to be on PATH, \
      with swift build it is that of the toolchain.

      The results lie in DIR: before/ and after/ with the two programs, the profile, the order, the \
      object file to link for prefetching, the comparison as HTML and JSON, logs. Nothing is done \
      that could change what the program does; what has a price is named at the end, with its price, \
      and done when asked for with --also.

      Exit code: 0 done, whatever was gained; 64 the command line is wrong; 65 the build failed, or \
      hands the flags on to no linker or compiler, so that nothing is done, or the program crashed, \
      ended early or was not ready in time; 66 a file cannot be read; 69 something is missing: \
      ptrace, the port is in use; 73 DIR cannot be written. Results of earlier \
      calls stay until new ones are complete.
      """)

  @Option(help: ArgumentHelp("The program that the build makes.", valueName: "path"))
  var binary: String

  @Option(help: ArgumentHelp("The command that builds it.", valueName: "command"))
  var build: String

  @Option(help: "Runs to record, 1 to 100.")
  var runs = 3

  @Option(help: "Runs of each program to compare, 5 to 1000.")
  var comparedRuns = 10

  @OptionGroup var moment: MomentOptions

  @Option(
    help: ArgumentHelp(
      "Do this as well, at its price: \(OptInOptimization.allCases.map(\.rawValue).joined(separator: ", ")). "
        + "May be repeated.", valueName: "lever"))
  var also: [OptInOptimization] = []

  @Flag(help: "Leave out the request for pages before main.")
  var noPrefetch = false

  @Flag(help: "Compare with the files' pages dropped, and fail where that cannot be done.")
  var cold = false

  @Flag(help: "Compare with the files' pages in memory.")
  var warm = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Where the results go; by default the program's name with .firstlight, here.",
      valueName: "dir"))
  var output: String?

  @Argument(parsing: .postTerminator, help: "Arguments that the program gets.")
  var arguments: [String] = []

  func validate() throws {
    guard (1...100).contains(runs) else { throw ValidationError("--runs has to be 1 to 100.") }
    guard (5...1000).contains(comparedRuns) else {
      throw ValidationError(
        "--compared-runs has to be 5 to 1000: of fewer no test can tell a difference from chance.")
    }
    guard !(cold && warm) else { throw ValidationError("Choose --cold or --warm.") }
  }

  func run() throws {
    let recipe = try BuildRecipe(build)
    let results = try ResultDirectory(
      output ?? "\(BaseName.of(binary)).firstlight", program: binary)
    let optimizer = Optimizer(
      builder: ProductBuilder(recipe: recipe, path: binary, results: results), results: results,
      moment: moment.until, arguments: arguments, timeout: moment.timeout.seconds, runs: runs,
      comparedRuns: comparedRuns, cold: cold ? true : warm ? false : nil, levers: also,
      prefetches: !noPrefetch)
    let optimization = try optimizer.run()
    let text = OptimizationText.text(
      optimization, kept: kept(recipe, results, optimization), base: recipe.sectionFlags,
      files: files(results, optimization))
    try Output.write(text, to: results.report("txt"))
    try Output.write(text, to: nil)
  }

  private func kept(
    _ recipe: BuildRecipe, _ results: ResultDirectory, _ optimization: Optimization
  ) -> [OptimizationText.Kept] {
    var kept: [OptimizationText.Kept] = [
      .init(
        recipe.flags(linker: ["--symbol-ordering-file=\(results.order)"]),
        "the order; functions that it does not know stay where they are")
    ]
    if optimization.isPacked {
      kept.append(
        .init(
          recipe.flags(linker: [Optimizer.packing]), "packed relocations",
          price: "needs glibc 2.36 or newer where it runs; an older one refuses to start it"))
    }
    if optimization.prefetch != nil {
      kept.append(
        .init(
          recipe.flags(linker: [results.prefetch]), "the pages to ask for before main",
          price: "fits this build: after larger changes optimize again; a stale one asks for pages "
            + "in vain"))
    }
    for lever in also {
      kept.append(.init(recipe.flags(linker: lever.linkerWords), lever.gain, price: lever.price))
    }
    return kept
  }

  private func files(
    _ results: ResultDirectory, _ optimization: Optimization
  ) -> [(what: String, path: String)] {
    var files = [
      ("the new program", results.after), ("profile", results.profile), ("order", results.order),
    ]
    if optimization.prefetch != nil { files.append(("prefetch", results.prefetch)) }
    files.append(("page maps", results.report("html")))
    return files
  }
}

extension OptInOptimization: ExpressibleByArgument {}
