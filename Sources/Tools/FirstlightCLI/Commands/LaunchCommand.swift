import ArgumentParser
import FirstlightModel
import Glibc
import ProcessControl
import ProfileFile
import Startup
import SystemSupport

struct LaunchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "launch",
    abstract: "Shows where a program's start-up time goes, before main and after.",
    usage: """
      firstlight launch [--runs N] [--cold] [--until EVENT] [--timeout TIME]
        [--calls|--no-calls] [--image GLOB] ...
        [--all] [--format text|json|html|chrome|folded] [-o FILE]
        [--profile FILE.flp] [--env NAME=VALUE] ... [--stdin FILE]
        [--prepare COMMAND] PROGRAM [-- ARG ...]
      """,
    discussion: """
        firstlight launch ./app -- --version
        firstlight launch --until port:8080 ./app -- --port 8080
        firstlight launch -o launch.html --until ready ./app

      Works on any program, without a rebuild or debug information. The program's output is \
      discarded. Half of the starts run untraced and give the time. The others \
      are traced (ptrace) and give the stages: exec, the loader's mapping and relocation, each \
      initializer, main up to ready. More starts, with a breakpoint on each function of the \
      program, give the first calls and their callers, scaled to these stages \
      (Documentation/Launch.md).

      Events of --until:
        exit         the program ends
        ready        it calls Firstlight.ready() or firstlight_ready()
        port:N       it listens on that TCP port
        line:TEXT    it prints a line that contains the text
        http:N/PATH  it answers a GET there
        500ms        a time

      A program still running then gets SIGTERM, and SIGKILL 5 s later.

      Exit codes (others: see firstlight --help):
        0    the report is written
        65   the program crashed, ended early or was not ready in time; the report
             shows the start-up up to that point; or it ends differently if it
             is traced, and its stages are unknown
        69   tracing is not permitted, the files cannot be dropped from the cache,
             or the port is in use
        73   the output cannot be written
        126  the program cannot be executed
        127  the program was not found
      """)

  enum Format: String, OutputFormat {
    case text, json, html, chrome, folded

    /// The timeline format for the calls of one start; nil: a report on all starts.
    var timeline: TimelineFormat? {
      switch self {
      case .text, .json: nil
      case .html, .chrome, .folded: TimelineFormat(rawValue: rawValue)
      }
    }
  }

  @Option(help: "Starts of each kind, 1 to 1000.")
  var runs = 5

  @Flag(help: "Drop the files from the page cache before each start.")
  var cold = false

  @OptionGroup var moment: MomentOptions

  @Flag(inversion: .prefixedNo, help: "Trace the first call of each function, in more starts.")
  var calls = true

  @Option(
    help: ArgumentHelp(
      "Also trace the functions of these shared libraries, by path or file name. Repeatable.",
      valueName: "glob"), completion: .file())
  var image: [String] = []

  @Option(
    help: ArgumentHelp(
      "Output format: text or json (report on all starts); for a timeline of the start with traced calls, "
        + "html, chrome (trace events, for Perfetto) or folded (stacks). Default: by the output file's "
        + "extension, else text."))
  var format: Format?

  @Option(
    help: ArgumentHelp(
      "Also write the start with traced calls as a profile, for timeline, order and dead.",
      valueName: "file.flp"), completion: .profile)
  var profile: String?

  @Flag(help: "In text, show all initializers, binaries, calls and look-ups, not only the dearest.")
  var all = false

  @OptionGroup var destination: OutputOption

  @OptionGroup var settings: SurroundingsOptions

  @OptionGroup var program: ProgramArguments

  private var command: [String] { program.command }

  private var chosenFormat: Format { .chosen(format, for: output) }

  private var output: String? { destination.output }

  func validate() throws {
    guard !command.isEmpty else {
      throw ValidationError("Nothing to start: firstlight launch PROGRAM -- ARG ...")
    }
    try Format.check(format, for: output)
    guard (1...1000).contains(runs) else { throw ValidationError("--runs must be 1 to 1000.") }
    guard calls || image.isEmpty else {
      throw ValidationError("--image adds traced calls: leave out --no-calls.")
    }
    guard calls || (profile == nil && chosenFormat.timeline == nil) else {
      throw ValidationError(
        "--profile and formats other than text and json need calls: leave out --no-calls.")
    }
  }

  func run() throws {
    try ResultFile.checkWritable(output, profile)
    var runner = LaunchRunner(
      command: command, until: moment.until, runs: runs, isCold: cold,
      timeout: moment.timeout.seconds,
      callsOf: calls ? image : nil, surroundings: settings.surroundings,
      tracesLookups: chosenFormat.timeline == nil, portCommand: { command(untilPort: $0) })
    let result = try runner.run()
    Terminal.clearProgress()
    if let profile, let recorded = result.calls?.profile {
      try ProfileFile.write(recorded, to: profile)
    }
    let timeline = try (result.calls?.profile).map { try TimelineRendering.timeline(of: $0) }
    if let form = chosenFormat.timeline, result.report.failure == nil,
      result.report.tracedEndAlike
    {
      guard let timeline else {
        throw Failure(
          .data, "\(command[0]): did not start up while its calls were traced",
          advice: "raise --timeout, or use --format text")
      }
      try Output.write(timeline, as: form, to: output)
    } else if chosenFormat == .json {
      try Output.write(JSONForm.pretty(result.report), to: output)
    } else {
      try Output.write(
        result.report.document(calls: timeline, showsAll: all).text(Output.style(output)),
        to: output)
    }
    if !result.report.tracedEndAlike {
      throw Failure(
        .data, "\(command[0]): ends differently if it is traced, so its stages are unknown",
        advice: "run it under strace to see why")
    }
    if let failure = result.report.failure {
      throw Failure(
        .data, "\(command[0]) did not start up: \(failure)",
        advice: result.ports.first.map { "measure up to that: \(command(untilPort: $0))" }
          ?? "run it by hand with the same arguments, and check --until and --timeout")
    }
  }

  /// The same command, but until the program listens on a port.
  private func command(untilPort port: Int) -> String {
    var options = CommandLine.words.dropFirst(2).dropLast(program.words.count)
    while let index = options.firstIndex(where: { $0 == "--until" || $0.begins(with: "--until=") })
    {
      options.removeSubrange(index...(options[index] == "--until" ? index + 1 : index))
    }
    let arguments = command.dropFirst()
    let words =
      ["firstlight", "launch", "--until", "port:\(port)"] + options + [command[0]]
      + (arguments.isEmpty ? [] : ["--"] + arguments)
    return words.map(Escaping.shellWord).joined(separator: " ")
  }
}
