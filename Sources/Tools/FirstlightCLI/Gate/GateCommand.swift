import ArgumentParser
import FirstlightModel
import Glibc
import ProcessControl
import ReportFormats
import StartupComparison
import StartupMeasurement
import StartupTracing
import SystemSupport

struct GateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gate",
    abstract: "Fails if start-up became more expensive: for CI and git bisect.",
    usage: """
      firstlight gate --baseline FILE --write-baseline [--runs N] [--until MOMENT] [--cold]
        [--order FILE] -- COMMAND [ARG ...]
      firstlight gate [--baseline FILE] [--against BINARY] [--max-regression 5%] [--runs N]
        [--timeout TIME] [--no-pin] [--ignore-failure] [--timeline FILE] [--format text|json] [-o FILE]
        -- COMMAND [ARG ...]
      """,
    discussion: """
      Starts the command N times, without input, its output thrown away, and sets it against the \
      baseline: time to the moment of ready and page faults by a rank test, shared libraries, \
      initializers, relocations and the order's hit rate by counting. Each start is kept on one \
      processor where that is allowed. If N runs do not tell, it takes up to 4 N.

      A measure fails if it can be shown to be more than --max-regression above the old one, and \
      passes if it can be shown not to be. If neither, the gate says so. A machine that is slower \
      now than when the baseline was written is told by work that is the same each time; what that \
      explains is not held against the program. On another machine, kernel or processor times are \
      not judged, counts are.

      --against takes runs of the old binary itself in turn with those of the new one: what drifts \
      touches both, and any machine will do. It can be used without a baseline.

        firstlight gate --baseline start.json --write-baseline -- ./app --port 8080
        firstlight gate --baseline start.json -- ./app --port 8080
        git bisect run sh -c \\
          'make || exit 125; firstlight gate --against ../good -- ./app'

      Exit code: 0 fine; 1 a regression; 125 too noisy to tell (git bisect then skips the commit). \
      All other failures are those of firstlight's other commands plus 128, so that git bisect run \
      stops instead of blaming a commit: 192 the command line is wrong; 193 the program crashed, failed (--ignore-failure allows it), was \
      not ready in time, or the baseline is none or of another command; 194 a file cannot be read; \
      197 it cannot be started cold, or the port is in use; 199 the system refused; 201 the output \
      cannot be written. Documentation/Gate.md has recipes for CI.
      """)

  @Option(help: ArgumentHelp("What the start-up is set against, as JSON.", valueName: "file"))
  var baseline: String?

  @Flag(help: "Measure 4 N runs and write the baseline instead.")
  var writeBaseline = false

  @Option(
    help: ArgumentHelp(
      "The old binary: it is started in turn with the new one, with the same arguments.",
      valueName: "binary"))
  var against: String?

  @Option(help: ArgumentHelp("How much more is allowed, such as 5% or 0.05.", valueName: "share"))
  var maxRegression = Share(value: 0.05)

  @Option(help: "Measured runs, 10 to 250; up to 4 times as many if these do not tell.")
  var runs = 20

  @Option(
    help: ArgumentHelp(
      "When a start-up is over: exit; ready, when the program says so (firstlight_ready); "
        + "port:N, when it listens on that TCP port; http:N/PATH, when it answers a GET there. "
        + "Programs that still run then get SIGTERM. By default that of the baseline, else exit.",
      valueName: "moment"))
  var until: ReadinessCondition?

  @Option(
    help: ArgumentHelp(
      "How long to wait for that moment, such as 500ms, 30s, 2m.", valueName: "time"))
  var timeout = TimeSpan(seconds: 30)

  @Flag(help: "Drop the files' pages before each run; by default as in the baseline, else warm.")
  var cold = false

  @Flag(help: "Measure a program that ends with another exit status than 0.")
  var ignoreFailure = false

  @Flag(help: "Let the programs run on all processors.")
  var noPin = false

  @Option(
    help: ArgumentHelp(
      "The order the binary is linked with: its hit rate is judged too.", valueName: "file"))
  var order: String?

  @Option(
    help: ArgumentHelp(
      "With --against, on a regression: where to write which functions take longer, as HTML, and the "
        + "flame graphs of both beside it; by default beside -o.", valueName: "file"))
  var timeline: String?

  @Option(help: "text or json.")
  var format: TextOrJSON = .text

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Where to write; by default standard output.", valueName: "file"))
  var output: String?

  @Argument(
    parsing: .postTerminator, help: ArgumentHelp("What is started.", valueName: "command"))
  var command: [String] = []

  func validate() throws {
    guard !command.isEmpty else {
      throw ValidationError("Name the command to start behind --, with its arguments.")
    }
    guard (10...250).contains(runs) else {
      throw ValidationError(
        "--runs has to be 10 to 250: of fewer no test can tell a difference from chance.")
    }
    guard baseline != nil || against != nil else {
      throw ValidationError("Name what to set it against: --baseline FILE or --against BINARY.")
    }
    if writeBaseline, baseline == nil || against != nil {
      throw ValidationError("--write-baseline needs --baseline FILE, and no --against.")
    }
    if timeline != nil, against == nil {
      throw ValidationError("--timeline needs --against, the old binary.")
    }
    try until?.validateWithoutOutput()
    if case .duration? = until {
      throw ValidationError("--until takes a moment that the program reaches, not a time.")
    }
  }

  func run() throws {
    let old = writeBaseline ? nil : try baseline.map { try StartupBaselineFile.read($0) }
    if let old { try check(old) }
    let moment = try moment(old)
    let runner = GateRunner(
      subject: try MeasuredBinary(nil, ProgramPath.find(command[0])),
      against: try against.map { try MeasuredBinary(nil, $0) },
      meter: try StartupMeter(
        moment: moment, arguments: Array(command.dropFirst()), timeout: timeout.seconds,
        pin: noPin ? nil : CPUPin()),
      runs: runs, cold: cold || (old?.cold ?? false), maxRegression: maxRegression.value,
      order: order ?? old?.order?.path, allowsFailure: ignoreFailure)
    if writeBaseline, let baseline {
      let measured = try runner.baseline()
      Terminal.clearProgress()
      try StartupBaselineFile.write(measured, to: baseline)
      Terminal.report(GateText.summary(measured, path: baseline))
      return
    }
    var report = try runner.classifier(old)
    Terminal.clearProgress()
    if against == nil, let path = old?.binary.path,
      BaseName.of(path) != BaseName.of(command[0])
    {
      report.notes.append("the baseline is of a program of another name, \(path)")
    }
    switch format {
    case .text: try Output.write(GateText.text(report), to: output)
    case .json: try Output.write(GateJSON.text(report), to: output)
    }
    switch report.result.outcome {
    case .fine: return
    case .regression:
      compareCalls(until: moment)
      throw ExitCode(1)
    case .tooNoisy: throw ExitCode(125)
    }
  }

  /// Writes which functions take longer. The verdict stands without it.
  private func compareCalls(until moment: ReadinessCondition) {
    guard let against, let path = timeline ?? output.map({ $0 + ".timeline.html" }) else { return }
    let calls = GateTimeline(
      until: moment, arguments: Array(command.dropFirst()), timeout: timeout.seconds)
    do throws(Failure) {
      try calls.write(old: against, new: try ProgramPath.find(command[0]), to: path)
      Terminal.report("wrote which functions take longer to \(path)")
    } catch {
      Terminal.report("no comparison of functions: \(error)")
    }
  }

  /// Fails if the baseline is of another start-up.
  private func check(_ old: StartupBaseline) throws(Failure) {
    let path = baseline ?? ""
    let advice = "use the same, or write the baseline anew with --write-baseline"
    if old.arguments != Array(command.dropFirst()) {
      throw Failure(.data, "\(path): measured with other arguments", advice: advice)
    }
    if let until, until.argument != old.until {
      throw Failure(
        .data, "\(path): measured until \(old.until), not until \(until.text)", advice: advice)
    }
    if cold, !old.cold { throw Failure(.data, "\(path): measured warm, not cold", advice: advice) }
  }

  private func moment(_ old: StartupBaseline?) throws(Failure) -> ReadinessCondition {
    if let until { return until }
    guard let old else { return .exit }
    guard let moment = ReadinessCondition(argument: old.until),
      (try? moment.validateWithoutOutput()) != nil
    else {
      throw Failure(
        .data, "\(baseline ?? ""): measured until a moment that is none: \(old.until)",
        advice: "write it anew with --write-baseline")
    }
    return moment
  }

  /// What is added to exit codes of failures: git bisect run takes those below 128 for verdicts.
  static let failureOffset: Int32 = 128
}
