import ArgumentParser
import FirstlightModel
import Glibc
import ProcessControl
import ProfileFile
import ReportFormats
import StartupTracing
import SystemSupport

struct LaunchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "launch",
    abstract: "Shows where a program's start-up time goes, before main and after.",
    usage: """
      firstlight launch [--runs N] [--cold] [--until MOMENT] [--timeout TIME] [--calls|--no-calls]
        [--image GLOB] ... [--format text|json|html|chrome|folded] [-o FILE] [--profile FILE.flp]
        -- COMMAND [ARG ...]
      """,
    discussion: """
      The program is started as it is: no rebuild, no debug information needed. It gets no input, and \
      its output is thrown away. Half of the starts are left alone but for their exec and their end: \
      they give the time. The others are watched (ptrace) stage by stage: exec, the loader's mapping \
      and relocating, each initializer of each image, main up to ready. More starts, with a \
      breakpoint on each function of the program, tell what ran and what called it. What the watching \
      itself takes is measured and taken off. Documentation/Launch.md says how.

      Ready is: exit; ready, when the program says so (Firstlight.ready(), firstlight_ready()); port:N, \
      when it listens on that TCP port; line:TEXT, when it writes a line with that text; http:N/PATH, \
      when it answers a GET there; or a time such as 500ms. A program that still runs then gets \
      SIGTERM, and after 5 s SIGKILL.

      Exit code: 0 the account is written; 64 the command line is wrong; 65 the program crashed, ended \
      before it was ready, or was not ready in time: what was seen of it is written all the same; 69 \
      programs cannot be traced here, or not started cold, or the port is in use; 71 the system \
      refused; 73 the output cannot be written; 126 the program cannot be executed; 127 it is not found.
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json, html, chrome, folded

    /// What shows one start call by call; nil: the account of all.
    var timeline: TimelineFormat? {
      switch self {
      case .text, .json: nil
      case .html: .html
      case .chrome: .chrome
      case .folded: .folded
      }
    }
  }

  @Option(help: "Starts of each kind, 1 to 1000.")
  var runs = 5

  @Flag(help: "Drop the files' pages from memory before each start.")
  var cold = false

  @Option(
    help: ArgumentHelp(
      "When the start-up is over: exit, ready, port:N, line:TEXT, http:N/PATH, or a time such as 500ms.",
      valueName: "moment"))
  var until: ReadinessCondition = .exit

  @Option(
    help: ArgumentHelp(
      "How long to wait for that moment, such as 500ms, 30s, 2m.", valueName: "time"))
  var timeout = TimeSpan(seconds: 30)

  @Flag(inversion: .prefixedNo, help: "Watch the first call of each function, in more starts.")
  var calls = true

  @Option(
    help: ArgumentHelp(
      "Shared libraries whose functions are watched too, by path or file name. May be repeated.",
      valueName: "glob"))
  var image: [String] = []

  @Option(
    help: ArgumentHelp(
      "text or json: the account of all starts; html, chrome (trace events, for Perfetto) or folded "
        + "(stacks): the timeline of the one start whose calls were watched."))
  var format: Format = .text

  @Option(
    help: ArgumentHelp(
      "Write the start whose calls were watched as a profile too, for timeline, order and dead.",
      valueName: "file.flp"))
  var profile: String?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Where to write; by default standard output.", valueName: "file"))
  var output: String?

  @Argument(parsing: .postTerminator, help: "The program to start and its arguments.")
  var command: [String] = []

  func validate() throws {
    guard !command.isEmpty else {
      throw ValidationError(
        "Name the program to start after --: firstlight launch -- COMMAND ARG...")
    }
    guard (1...1000).contains(runs) else { throw ValidationError("--runs has to be 1 to 1000.") }
    guard calls || image.isEmpty else {
      throw ValidationError("--image is for calls: leave out --no-calls.")
    }
    guard calls || (profile == nil && format.timeline == nil) else {
      throw ValidationError(
        "--profile and the formats html, chrome and folded show calls: leave out --no-calls.")
    }
  }

  func run() throws {
    var runner = LaunchRunner(
      command: command, until: until, runs: runs, isCold: cold, timeout: timeout.seconds,
      callsOf: calls ? image : nil)
    let result = try runner.run()
    Terminal.clearProgress()
    if let profile, let recorded = result.calls?.profile {
      try ProfileFile.write(recorded, to: profile)
    }
    if let form = format.timeline, result.account.failure == nil {
      guard let recorded = result.calls?.profile else {
        throw Failure(.data, "\(command[0]): it did not start up when its calls were watched")
      }
      let timeline = try TimelineRendering.timeline(of: recorded)
      try Output.write(TimelineRendering.text(timeline, as: form), to: output)
    } else if format == .json {
      try Output.write(LaunchJSON.text(result.account), to: output)
    } else {
      try Output.write(LaunchText.text(result.account), to: output)
    }
    if let failure = result.account.failure {
      throw Failure(
        .data, "\(command[0]) did not start up: \(failure)",
        advice: "try it by hand with the same arguments; --until and --timeout say what to wait for"
      )
    }
  }
}
