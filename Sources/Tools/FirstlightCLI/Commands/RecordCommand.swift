import ArgumentParser
import FirstlightModel
import Glibc
import ProcessControl
import ProfileFile
import Recording
import ReportFormats
import SystemSupport

struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Runs a program and records the first call of each function.",
    usage: """
      firstlight record [-o FILE.flp] [--until MOMENT] -- COMMAND [ARG ...]
      firstlight record --no-rebuild [--image GLOB] ... [-o FILE.flp] [--until ...] -- COMMAND [ARG ...]
      firstlight record [-o FILE.flp] --directory DIR
      """,
    discussion: """
      The program gets the same standard input, output and error, working directory and signals \
      as without us. Programs that it starts are recorded too, each process as its own trace. The \
      program must have been built with the words of `firstlight flags`, or is recorded with \
      --no-rebuild: as it is, through breakpoints on its functions that go when first hit. That takes \
      symbols and ptrace; Documentation/Tracer.md says what a program may notice of it.

      Where DEBUGINFOD_URLS names debuginfod servers, debug information that this machine lacks is \
      fetched from them: Documentation/DebugInformation.md.

      Exit code: the program's. If a signal ended it, firstlight ends by the same signal. If the \
      program ended with 0 but nothing could be recorded: 65. If the profile cannot be written: \
      73, and the recording is kept where the message says. Once the program has ended, Ctrl-C and \
      other signals that ask to end wait until the profile is written; a third one ends at once, and \
      says where the recording is kept. If the program cannot be started: 127 \
      (not found) or 126. If --no-rebuild is not allowed here: 69.

      Without record: set FIRSTLIGHT_DIR to an existing directory's absolute path when the program \
      starts, and later turn what it left there into a profile with --directory.
      """)

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The profile to write. By default the program's name with .flp, here.", valueName: "file.flp")
  )
  var output: String?

  @Option(
    help: ArgumentHelp(
      "When to stop: exit; ready, when the program says so; port:N, when it listens on that TCP "
        + "port; http:N/PATH, when it answers a GET there; or after a time such as 500ms, 10s, 2m. "
        + "A program that still runs then gets SIGTERM, and after 10 s more SIGKILL.",
      valueName: "moment"))
  var until: ReadinessCondition = .exit

  @Option(
    help: ArgumentHelp(
      "How long to wait for that moment, such as 500ms, 30s, 2m; by default for ever. A recording "
        + "that ends so is written, and the exit code is 65.", valueName: "time"))
  var timeout: TimeSpan?

  @Flag(
    help: "Record a program that was built without guards, through one-shot breakpoints (ptrace).")
  var noRebuild = false

  @Option(
    help: ArgumentHelp(
      "With --no-rebuild: shared libraries to record beside the programs, by path or file name, also "
        + "those loaded later; and programs without symbol table. May be repeated.",
      valueName: "glob"))
  var image: [String] = []

  @Option(
    help: ArgumentHelp(
      "Run nothing; make the profile from what programs left in this directory.",
      valueName: "dir"))
  var directory: String?

  @Argument(parsing: .postTerminator, help: "The program to run and its arguments.")
  var command: [String] = []

  func validate() throws {
    try until.validateWithoutOutput()
    if directory == nil, command.isEmpty {
      throw ValidationError("Name the program to run after --: firstlight record -- COMMAND ARG...")
    }
    if directory != nil, !command.isEmpty {
      throw ValidationError("--directory reads what is there already: leave out the command.")
    }
    if directory != nil, noRebuild {
      throw ValidationError("--no-rebuild runs a program: leave out --directory.")
    }
    if timeout != nil {
      if case .duration = until {
        throw ValidationError("--timeout is for a moment to wait for: leave it out.")
      }
    }
    if !image.isEmpty, !noRebuild {
      throw ValidationError("--image is for --no-rebuild: guards record all images that have them.")
    }
  }

  func run() throws {
    let path = output ?? defaultOutput
    // A run may take long; that its result has no place to go should show before it starts.
    try ResultFile.checkWritable(path)
    if let directory {
      if try !assemble(RecordedRun(directory: directory, command: []), into: path) {
        throw ExitCode(Failure.Kind.data.rawValue)
      }
      return
    }
    let spool = try SpoolDirectory()
    let breakpoints = noRebuild ? BreakpointLaunch(globs: image) : nil
    var runner = ProgramRunner(
      command: command, directory: spool.path, until: until, timeout: timeout?.seconds,
      launch: breakpoints ?? PlainLaunch())
    let recorded: RecordedRun
    do throws(Failure) {
      recorded = try runner.run()
    } catch {
      spool.remove()
      throw error
    }
    let watched = breakpoints?.recording()
    let keeper = RecordingKeeper(
      path, wasAskedToEnd: recorded.wasAskedToEnd,
      rescue: RecordingRescue.make(recorded, watched: watched))
    let signals = try EndingSignals { keeper.take($0) }
    var result: Result<Bool, Failure>
    do throws(Failure) {
      result = .success(
        try assemble(
          recorded, watched: watched, into: path, orInto: watched == nil ? nil : spool.path))
      keeper.finish()
      spool.remove()
      if recorded.isLate {
        result = .failure(recorded.lateness)
      }
    } catch {
      keeper.finish()
      result = .failure(
        Failure(
          error.kind, "\(error); the recording is kept in \(spool.path)",
          advice: noRebuild
            ? "take its profile from there"
            : RecordingRescue.takeUp(spool.path)))
    }
    withExtendedLifetime(signals) { recorded.ending.finish(with: result) }
  }

  /// - Returns: whether anything was recorded.
  private func assemble(
    _ recorded: RecordedRun, watched: BreakpointRecording? = nil, into path: String,
    orInto spool: String? = nil
  ) throws(Failure) -> Bool {
    let assembler = ProfileAssembler(run: recorded)
    let profile =
      if let watched { try assembler.profile(watched: watched) } else { try assembler.profile() }
    if recorded.recordedNothing(profile) {
      for problem in profile.runs.flatMap(\.problems) { Terminal.report("warning: \(problem)") }
      Terminal.report("error: \(recorded.nothingRecorded(noRebuild: noRebuild))")
      return false
    }
    Terminal.progress("writing \(path)")
    do throws(Failure) {
      try ProfileFile.write(profile, to: path)
    } catch {
      // The traces of a program watched from outside are nowhere else.
      if let spool { try ProfileFile.write(profile, to: "\(spool)/recording.flp") }
      throw error
    }
    for problem in profile.runs.flatMap(\.problems) { Terminal.report("warning: \(problem)") }
    Terminal.report(RecordingText.line(of: profile, path: path))
    return true
  }

  private var defaultOutput: String {
    let name = BaseName.of(directory ?? command[0])
    return name + "." + ProfileFile.pathExtension
  }
}
