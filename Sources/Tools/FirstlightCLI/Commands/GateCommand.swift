import ArgumentParser
import FirstlightModel
import Glibc
import NeverCalled
import ProcessControl
import Reports
import Startup
import SystemSupport

struct GateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gate",
    abstract: "Fails if start-up became more expensive: for CI and git bisect.",
    usage: """
      firstlight gate --baseline FILE --write-baseline [--runs N]
        [--until EVENT] [--cold] [--order FILE] PROGRAM [-- ARG ...]
      firstlight gate [--baseline FILE] [--against BINARY]
        [--max-regression 5%] [--shared-runner] [--judge ROWS]
        [--ignore ROWS] [--runs N] [--timeout TIME] [--no-pin]
        [--ignore-failure] [--timeline FILE] [--format text|json|markdown]
        [-o FILE] [--env NAME=VALUE] ... [--stdin FILE] [--prepare COMMAND]
        PROGRAM [-- ARG ...]
      """,
    discussion: """
        firstlight gate --baseline start.json --write-baseline ./app
        firstlight gate --baseline start.json ./app
        git bisect run sh -c \\
          'make || exit 125; firstlight gate --against ../good ./app'

      Starts the command N times, discards its output, and compares it with the \
      baseline. Time to ready and page faults are compared by a rank test; shared libraries, \
      initializers, relocations and the order's hit rate are counted. Each start is pinned to one \
      CPU where allowed. If N runs are inconclusive, up to 4 N are made.

      A metric fails if it is shown to be more than --max-regression above the old value, and \
      passes if it is shown not to be; otherwise it is inconclusive. A fixed reference workload \
      detects a slower machine, and its slowdown is allowed for. On another machine, kernel or CPU, \
      only counts are compared.

      --against runs the old binary in turn with the new one. Drift then affects both, so any \
      machine will do, and no baseline is needed.

      Exit codes:
        0    no regression
        1    regression
        125  inconclusive: too noisy (git bisect skips the commit)
        192  wrong command line
        193  the program did not start up or failed (see --ignore-failure), or the
             baseline is missing or invalid, or belongs to another command
        194  a file cannot be read
        197  the files cannot be dropped from the cache, or the port is in use
        199  the operating system refused a call
        201  the output cannot be written

      Failures are those of other commands plus 128, so that git bisect run stops at them. \
      Documentation/Gate.md has recipes for CI.
      """)

  @Option(
    help: ArgumentHelp("Baseline file (JSON) to compare with.", valueName: "file"),
    completion: .file())
  var baseline: String?

  @Flag(help: "Measure 4 N runs and write the baseline instead of comparing.")
  var writeBaseline = false

  @Option(
    help: ArgumentHelp(
      "Old binary to start in turn with the new one, with the same arguments.",
      valueName: "binary"), completion: .file())
  var against: String?

  @Option(
    help: ArgumentHelp(
      "Largest allowed increase, such as 5% or 0.05 (default: 5%, or 10% with --shared-runner).",
      valueName: "share"))
  var maxRegression: Share?

  @Option(help: "Measured runs, 10 to 250; up to 4 times as many if inconclusive.")
  var runs = 20

  @Option(
    help: ArgumentHelp(
      "Event that ends a start-up: \(MomentOptions.events). A program still running then gets SIGTERM. "
        + "(default: as in the baseline, else exit)",
      valueName: "event"),
    transform: ReadinessCondition.parse)
  var until: ReadinessCondition?

  @OptionGroup var wait: TimeoutOption

  @Flag(
    help: "Drop the files from the page cache before each run (default: as in the baseline).")
  var cold = false

  @Flag(help: "Accept a nonzero exit status of the program.")
  var ignoreFailure = false

  @Flag(help: "Do not pin the programs to one CPU.")
  var noPin = false

  @Option(
    help: ArgumentHelp(
      "The order that the binary is linked with; also checks its hit rate.", valueName: "file"),
    completion: .file())
  var order: String?

  @Option(
    help: ArgumentHelp(
      "With --against, on a regression, write an HTML comparison of function times here, and both "
        + "flame graphs beside it (default: beside -o).", valueName: "file"), completion: .file())
  var timeline: String?

  @OptionGroup var form: ReportOptions<GateFormat>

  @OptionGroup var rows: GateRowOptions

  @OptionGroup var settings: SurroundingsOptions

  @OptionGroup var program: ProgramArguments

  private var command: [String] { program.command }

  func validate() throws {
    guard !command.isEmpty else {
      throw ValidationError("Nothing to start: firstlight gate ... PROGRAM -- ARG ...")
    }
    guard (10...250).contains(runs) else {
      throw ValidationError(
        "--runs must be 10 to 250: fewer runs cannot separate a difference from chance.")
    }
    guard baseline != nil || against != nil else {
      throw ValidationError("Nothing to compare with: pass --baseline FILE or --against BINARY.")
    }
    if writeBaseline, baseline == nil || against != nil {
      throw ValidationError("--write-baseline needs --baseline FILE and excludes --against.")
    }
    if timeline != nil, against == nil {
      throw ValidationError("--timeline needs --against BINARY.")
    }
    if case .duration? = until {
      throw ValidationError(
        "--until cannot be a time here: use exit, ready, port:N, http:N/PATH or line:TEXT.")
    }
  }

  func run() throws {
    try ResultFile.checkWritable(form.output, timeline, writeBaseline ? baseline : nil)
    let old = writeBaseline ? nil : try baseline.map { try StartupBaselineFile.read($0) }
    try old?.check(
      arguments: Array(command.dropFirst()), until: until, isCold: cold, path: baseline ?? "")
    let moment = try until ?? old?.moment(path: baseline ?? "") ?? .exit
    let runner = GateRunner(
      subject: try MeasuredBinary(nil, ProgramPath.find(command[0])),
      against: try against.map { try MeasuredBinary(nil, $0) },
      meter: try StartupMeter(
        moment: moment, arguments: Array(command.dropFirst()), timeout: wait.timeout.seconds,
        surroundings: settings.surroundings, pin: noPin ? nil : CPUPin()),
      runs: runs, cold: cold || (old?.cold ?? false),
      maxRegression: maxRegression?.value ?? (rows.sharedRunner ? 0.10 : 0.05), judged: rows.judged,
      order: order ?? old?.order?.path, allowsFailure: ignoreFailure)
    if writeBaseline, let baseline {
      let measured = try runner.baseline()
      Terminal.clearProgress()
      try StartupBaselineFile.write(measured, to: baseline)
      Terminal.report(measured.summary(path: baseline))
      let arguments = command.dropFirst()
      let words =
        ["firstlight", "gate", "--baseline", baseline, command[0]]
        + (arguments.isEmpty ? [] : ["--"] + arguments)
      Terminal.report("next: " + words.map(Escaping.shellWord).joined(separator: " "))
      return
    }
    var report = try runner.judge(old)
    Terminal.clearProgress()
    if against == nil, let path = old?.binary.path,
      BaseName.of(path) != BaseName.of(command[0])
    {
      report.conditions.notes.append("the baseline is of a program with another name: \(path)")
    }
    try Output.write(
      form.format.text(report, style: Output.style(form.output)), to: form.output)
    switch report.result.outcome {
    case .fine: return
    case .higher:
      compareCalls(until: moment)
      throw ExitCode(1)
    case .inconclusive: throw ExitCode(125)
    }
  }

  /// Writes a comparison of function times. The verdict does not depend on this comparison.
  private func compareCalls(until moment: ReadinessCondition) {
    guard let against,
      let path = timeline ?? ResultFile.neighbour(of: form.output, ".timeline.html")
    else { return }
    let calls = TracedDifference(
      until: moment, arguments: Array(command.dropFirst()), timeout: wait.timeout.seconds,
      surroundings: settings.surroundings)
    do throws(Failure) {
      let (before, after) = try calls.timelines(
        old: against, new: try ProgramPath.find(command[0]))
      for page in try TimelineRendering.pages(before: before, after: after, at: path) {
        try Output.write(page.bytes, to: page.path)
      }
    } catch {
      Terminal.report("warning: no comparison of function times: \(error)")
    }
  }

  /// Added to the exit codes of failures, because git bisect run treats codes below 128 as verdicts.
  static let failureOffset: Int32 = 128
}

extension GateFormat: OutputFormat {}
