import ArgumentParser
import FirstlightModel
import Glibc
import ProcessControl
import ProfileFile
import Recording
import SystemSupport

struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Runs a program and records the first call of each function.",
    usage: """
      firstlight record [-o FILE.flp] [--until EVENT] PROGRAM [-- ARG ...]
      firstlight record --no-rebuild [--image GLOB] ... [-o FILE.flp]
        [--until EVENT] PROGRAM [-- ARG ...]
      firstlight record --attach PROCESS [--for TIME] [-o FILE.flp]
      firstlight record --spool DIR [--no-rebuild | --attach] PROGRAM ...
      firstlight record [-o FILE.flp] --directory DIR
      """,
    discussion: """
        firstlight record -o app.flp .build-firstlight/release/app -- --port 8080
        firstlight record --no-rebuild --until 10s .build/release/app
        firstlight record --attach nginx --for 10m

      Build the program with the flags that `firstlight flags` prints, or use --no-rebuild, which \
      sets a one-shot breakpoint on each function and needs symbols and ptrace \
      (Documentation/Tracer.md). Child processes are recorded too, each as its own trace. \
      Standard streams, working directory and signals are the program's as usual.

      If DEBUGINFOD_URLS names debuginfod servers, missing debug information is fetched from \
      them (Documentation/DebugInformation.md).

      To record a program that something else starts, set FIRSTLIGHT_DIR in its environment to the \
      absolute path of an existing directory. Afterwards, --directory makes a profile of the \
      recordings in it.

      Processes still running when the recording ends count as losses: what they call later is \
      missing.

      First calls are written to files as they come. If firstlight is killed (SIGKILL), --directory \
      makes a profile of what was recorded until then. Under --no-rebuild the program then ends, too: \
      its breakpoints would kill it otherwise.

      The exit code is the program's; if a signal killed it, firstlight ends by the same signal. \
      Exit codes of its own:
        65   nothing was recorded, or the event of --until did not come, or not in
             time; what was recorded until then is kept
        66   --attach: no such process, file, program or unit
        69   --no-rebuild or --attach is not permitted here
        73   the profile cannot be written (the message says where the recording
             is), or the spool
        126  the program cannot be executed
        127  the program was not found

      After the program's end, a first Ctrl-C waits until the profile is written; the third one \
      stops at once and prints where the recording is.
      """)

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Output profile (default: PROGRAM.flp in the current directory, or PROGRAM-2.flp and so on "
        + "if there is one).", valueName: "file.flp"), completion: .profile)
  var output: String?

  @Option(
    help: ArgumentHelp(
      "Event that ends the recording: \(MomentOptions.events); or a time such as 500ms, 10s, 2m. A "
        + "program still running then gets SIGTERM, and SIGKILL 10 s later. With all but exit, a program "
        + "that goes into the background is followed there. (default: exit)",
      valueName: "event"),
    transform: ReadinessCondition.parse)
  var until: ReadinessCondition = .exit

  @Option(
    help: ArgumentHelp(
      "Longest wait for that event, such as 500ms, 30s, 2m (default: 30s; none for exit). On a "
        + "timeout the profile is still written, and the exit code is 65.", valueName: "time"))
  var timeout: TimeSpan?

  @Flag(
    help: "Record a program built without the flags, through one-shot breakpoints (ptrace).")
  var noRebuild = false

  @Option(
    help: ArgumentHelp(
      "With --no-rebuild, also record these shared libraries, by path or file name, and programs "
        + "without a symbol table. Repeatable.",
      valueName: "glob"), completion: .file())
  var image: [String] = []

  @Option(
    help: ArgumentHelp(
      "Make the profile from the recordings in this directory instead of running a command.",
      valueName: "dir"), completion: .directory)
  var directory: String?

  @Option(
    help: ArgumentHelp(
      "Watch a running program instead of starting one: a process id, the path of a program (all its "
        + "processes, also those that start later), the name of one that runs, or a systemd unit "
        + "(Documentation/Attach.md).",
      valueName: "process"))
  var attach: String?

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp(
      "With --attach, how long to watch, such as 10m (default: until Ctrl-C, or until the process has "
        + "ended).", valueName: "time"))
  var duration: TimeSpan?

  @Flag(
    help: ArgumentHelp(
      "With --attach, watch by ptrace, where the kernel's probes are not permitted. Not for production: a "
        + "program dies if the process that watches it is killed."))
  var ptrace = false

  @Option(
    help: ArgumentHelp(
      "With --attach, the largest share of a processor that the program may lose to the first calls, "
        + "such as 1%. Functions are then added bit by bit.", valueName: "share"))
  var budget: Share?

  @Option(
    help: ArgumentHelp(
      "Record into this spool of a firstlightd, which counts the processes there, instead of writing a profile.",
      valueName: "dir"), completion: .directory)
  var spool: String?

  @OptionGroup var variables: EnvironmentOptions
  @OptionGroup var program: ProgramArguments

  private var command: [String] { program.command }

  func validate() throws {
    if spool != nil, output != nil || directory != nil {
      throw ValidationError("--spool writes no profile: leave out -o and --directory.")
    }
    guard variables.variables.isEmpty || !command.isEmpty else {
      throw ValidationError("--env is for a command that is started.")
    }
    if attach != nil {
      guard command.isEmpty, directory == nil, !noRebuild, until == .exit, timeout == nil else {
        throw ValidationError(
          "--attach watches what runs already: leave out the command, --directory, --no-rebuild, --until "
            + "and --timeout.")
      }
      return
    }
    if duration != nil || budget != nil || ptrace {
      throw ValidationError(
        "--for, --budget and --ptrace belong to --attach; a command takes --until.")
    }
    if directory == nil, command.isEmpty {
      throw ValidationError("Nothing to run: firstlight record PROGRAM -- ARG ...")
    }
    if !command.isEmpty, ["-", "/dev/stdout", "/dev/fd/1"].contains(output) {
      throw ValidationError(
        "-o \(output ?? ""): standard output is the program's: name a file for the profile.")
    }
    if directory != nil, !command.isEmpty {
      throw ValidationError("--directory runs nothing: leave out the command.")
    }
    if directory != nil, noRebuild {
      throw ValidationError("--no-rebuild runs a program: leave out --directory.")
    }
    if timeout != nil {
      if case .duration = until {
        throw ValidationError("--until is a time already: leave out --timeout.")
      }
    }
    if !image.isEmpty, !noRebuild {
      throw ValidationError(
        "--image needs --no-rebuild: other recordings contain all instrumented binaries.")
    }
  }

  func run() throws {
    if directory == nil { reportAbandoned() }
    let engine: Attachment = ptrace ? .ptrace : .probes
    if attach != nil, let ending = try AttachSession.separateWatcher(engine) {
      ending.finish(with: .success(true))
    }
    if let spool { return try record(into: spool, engine) }
    let path = output ?? defaultOutput
    if let attach { return try watch(attach, by: engine, path) }
    if let directory {
      try ResultFile.checkWritable(path)
      let recorded = RecordedRun(directory: directory, command: [])
      if !report(try RecordingSession.save(recorded, to: path), recorded, path) {
        throw ExitCode(Failure.Kind.data.rawValue)
      }
      return
    }
    var session = try RecordingSession(
      command, to: path, environment: variables.environment, until: until, timeout: longestWait,
      breakpoints: noRebuild ? BreakpointLaunch(globs: image) : nil)
    let outcome = try session.run()
    let result: Result<Bool, Failure>
    switch outcome.profile {
    case .success(let profile):
      let isRecorded = report(profile, outcome.run, path)
      result = outcome.run.missedMoment(profile).map { .failure($0) } ?? .success(isRecorded)
    case .failure(let failure): result = .failure(failure)
    }
    withExtendedLifetime(outcome.signals) { outcome.run.ending.finish(with: result) }
  }

  /// Names a recording of an earlier command that was killed.
  private func reportAbandoned() {
    let left = SpoolDirectory.abandoned()
    guard let last = left.last else { return }
    let others = left.count > 1 ? ", and of \(left.count - 1) more beside it" : ""
    Terminal.notice(
      "note: no profile was made of an earlier recording in \(last)\(others): remove it, or "
        + RecordingKeeper.takeUp(last))
  }

  private func record(into spool: String, _ engine: Attachment) throws {
    let spool = AbsolutePath.of(spool)
    guard access(spool, W_OK | X_OK) == 0 else {
      throw Failure(
        errno == ENOENT ? .noInput : .cannotCreate, "\(spool): \(ErrorText.of(errno))",
        advice: "start firstlightd --spool \(spool)")
    }
    if let attach {
      let session = try AttachSession(attach, globs: image, budget: budget?.value, engine: engine)
      let cost = try session.record(for: duration?.seconds, into: spool)
      return Terminal.report(
        RecordingText.cost(stops: cost.hits, seconds: cost.stopped, longest: cost.longest))
    }
    let run = try RecordingSession.record(
      command, into: spool, environment: variables.environment, until: until, timeout: longestWait,
      breakpoints: noRebuild ? BreakpointLaunch(globs: image) : nil)
    run.ending.finish(with: run.isLate ? .failure(run.lateness) : .success(true))
  }

  private func watch(_ target: String, by engine: Attachment, _ path: String) throws {
    try ResultFile.checkWritable(path)
    let session = try AttachSession(target, globs: image, budget: budget?.value, engine: engine)
    let window = try session.window(for: duration?.seconds, to: path)
    guard let profile = window.profile else {
      throw Failure(.data, "nothing was recorded of \(target)")
    }
    Terminal.report(RecordingText.line(of: profile, path: path))
    Terminal.report(
      RecordingText.cost(
        stops: window.cost.hits, seconds: window.cost.stopped, longest: window.cost.longest))
    Terminal.report(RecordingText.next(of: profile, path: path, isStartup: false))
  }

  /// Prints a summary of the recording, and returns whether anything was recorded.
  private func report(_ profile: Profile?, _ recorded: RecordedRun, _ path: String) -> Bool {
    guard let profile else {
      Terminal.report("error: \(recorded.nothingRecorded(noRebuild: noRebuild))")
      return false
    }
    Terminal.report(RecordingText.line(of: profile, path: path))
    Terminal.report(RecordingText.next(of: profile, path: path, isStartup: until.isStartup))
    return true
  }

  /// Seconds; nil: no limit for a program that runs to its end.
  private var longestWait: Double? {
    switch until {
    case .exit, .duration: timeout?.seconds
    case .ready, .port, .http, .line: timeout?.seconds ?? TimeoutOption.standard.seconds
    }
  }

  private var defaultOutput: String {
    let name = BaseName.of(directory ?? attach ?? command[0])
    return ResultFile.unused(name, extension: ProfileFile.pathExtension)
  }
}
