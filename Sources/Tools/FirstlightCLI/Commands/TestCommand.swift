import ArgumentParser
import Building
import FirstlightModel
import NeverCalled
import ProcessControl
import ProfileFile
import Recording
import SystemSupport

struct TestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Runs a project's tests and lists the functions that they never call.",
    usage: """
      firstlight test [FOLDER] [<options>] [-- ARG ...]
      firstlight test [FOLDER] [--build 'COMMAND'] --run 'COMMAND'
        [<options>] [-- ARG ...]
      """,
    discussion: """
        firstlight test
        firstlight test -c release
        firstlight test -- --filter WaresTests
        firstlight test --changed main --strict
        firstlight test -DBUILD_TESTING=ON
        firstlight test --build 'make clean all' --run './tests'

      Builds the tests with guards and counters in FOLDER/.build-firstlight, beside your own \
      build, runs them, and lists the never-called functions of your own code with the share that \
      was called of each module. C and C++ get entry hooks, and counters if the compiler is \
      clang, by your own compiler and options. The first build compiles everything; later ones \
      compile what changed. Arguments \
      after -- are the test runner's; as they may choose tests, the profile then goes to \
      tests.partial.flp and replaces none of all tests. All options of firstlight dead work too; -o keeps the list \
      apart from the tests' output. The profile is kept in .build-firstlight/tests.flp, where \
      firstlight dead finds it.

      In a Swift package, this runs swift build --build-tests and swift test; in a folder with a \
      CMakeLists.txt and no Package.swift, cmake and ctest. For other builds, and for other \
      options of these, name the commands. They run in FOLDER, and the flags get there in one of three ways:
        swift build, swift test   the flags go behind these words
        {flags}                   stands for the flags, to compile and to link
        anything else             cc, gcc, clang, c++, g++ and clang++ get them

      make builds where it always does, and does not recompile when only flags change: begin with \
      make clean, and run it again afterwards.

      The exit code is that of the tests; if a signal killed them, firstlight ends by the same \
      signal. The list is shown in any case. The profile of an interrupted run goes to \
      tests.interrupted.flp and replaces no other. Of tests that pass:
        0   listed
        1   a gate was exceeded (--strict, --max-dead, --max-dead-bytes,
            --max-deletable)
        2   insufficient evidence: nothing is listed (--min-runs, --min-time), or
            a gate depends on functions of which nobody knows whether they ran
        3   incomplete recording: listed functions may have run, or nothing was
            recorded that could be listed
        65  the build failed, no test ran, or nothing was recorded
        66  FOLDER does not show how its tests are built
        69  swift or a C compiler is not on PATH
      """)

  @Argument(help: ArgumentHelp("The project's folder (default: this one).", valueName: "folder"))
  var folder: String?

  @Option(help: ArgumentHelp("The command that builds the tests.", valueName: "command"))
  var build: String?

  @Option(
    name: .customLong("run"),
    help: ArgumentHelp("The command that runs the tests.", valueName: "command"))
  var runner: String?

  @Option(
    help: ArgumentHelp(
      "Where to keep the profile (default: .build-firstlight/tests.flp in the project's folder).",
      valueName: "file.flp"))
  var profile: String?

  @Option(name: .shortAndLong, help: "What SwiftPM builds: debug or release.")
  var configuration = Configuration.debug

  enum Configuration: String, ExpressibleByArgument { case debug, release }

  @Option(
    name: .customShort("D"),
    help: ArgumentHelp(
      "Set a variable of CMake's, as in cmake -DNAME=VALUE. Repeatable.", valueName: "name=value"))
  var definitions: [String] = []

  @OptionGroup(title: "Options of the list") var list: DeadOptions

  @Argument(parsing: .postTerminator, help: "Arguments of the test runner.")
  var arguments: [String] = []

  func validate() throws {
    if build != nil, runner == nil {
      throw ValidationError("--build needs --run, the command that runs the tests.")
    }
    if runner != nil, configuration != .debug {
      throw ValidationError(
        "--configuration is for SwiftPM's own commands: with --run, put it into the commands.")
    }
  }

  func run() throws {
    try ResultFile.checkWritable(list.report.output, list.writeBaseline)
    let working = AbsolutePath.workingDirectory ?? "."
    let named = folder ?? (runner == nil ? ProjectFolder.package(around: working) : nil) ?? working
    guard let project = AbsolutePath.resolved(named) else {
      throw Failure(.noInput, "\(named): no such folder", advice: "name the project's folder")
    }
    // Before the build, which takes its time.
    if let revision = list.changed { _ = try GitRepository(at: project).change(since: revision) }
    let flags = try SuiteRecipe.Flags()
    let suite = SuiteFolder(project: project)
    let recipe = try SuiteRecipe(
      folder: suite, build: build, run: runner, arguments: arguments,
      isRelease: configuration == .release, definitions: definitions, flags: flags)
    if let choice = recipe.choice { Terminal.report(choice) }
    let path = SourcePaths(root: working).shown(
      profile ?? (arguments.isEmpty ? suite.profile : LastProfile.partial(suite.profile)))
    let recorder = try SuiteRecorder(folder: suite, recipe: recipe, flags: flags, path: path)
    try recorder.build()
    let outcome = try recorder.record()
    guard let recorded = try outcome.profile.get() else {
      if outcome.run.isInterrupted {
        Terminal.report("error: interrupted before anything was recorded")
        withExtendedLifetime(outcome.signals) { outcome.run.ending.finish(with: .success(true)) }
      }
      throw recorder.nothingRecorded(outcome.run)
    }
    guard let kept = outcome.path else { throw recorder.noTestRan }
    Terminal.report(RecordingText.line(of: recorded, path: kept))
    if recipe.buildsInPlace {
      Terminal.report(
        "note: what this build left in \(SourcePaths(root: working).shown(project)) is instrumented: "
          + "build anew before you ship or benchmark it")
    }
    if !arguments.isEmpty {
      Terminal.report(
        "the arguments after -- may have chosen some tests: what only others call looks never called"
          + (profile == nil ? "; the profile of all tests is kept apart" : ""))
    }
    let tree = SourceTree(project: project, projects: [[project]])
    if recipe.isSwiftPM {
      do throws(Failure) {
        let unlinked = try UnlinkedTargets.names(in: suite, recorded)
        if !unlinked.isEmpty {
          Terminal.report(
            "warning: not listed, as no test links them: \(unlinked.joined(separator: ", "))")
        }
      } catch {
        Terminal.report("warning: targets that no test links are not named: \(error)")
      }
    }
    if !recipe.isSwiftPM,
      let sentence = try UnlinkedFiles.sentence(in: tree, project: project, recorded)
    {
      Terminal.report("warning: \(sentence)")
    }
    let listing = DeadListing(list, in: tree, of: .tests)
    let end = Result { try listing.run(on: recorded) }
    if outcome.run.failure != nil {
      if case .failure(let failure as Failure) = end { Terminal.report("error: \(failure)") }
      let what = outcome.run.isInterrupted ? "were interrupted" : "failed"
      Terminal.report(
        "the tests \(what) (\(outcome.run.ending.outcome)): "
          + "what they did not reach looks never called")
      next(kept, project)
      withExtendedLifetime(outcome.signals) { outcome.run.ending.finish(with: .success(true)) }
    }
    next(kept, project)
    try end.get()
  }

  /// What an unknown option may be: one of the test runner's. Nil for other errors.
  static func hint(on message: String) -> String? {
    guard CommandLine.words.dropFirst().first == configuration.commandName,
      message.begins(with: "Error: Unknown option"), !message.containsUTF8("Did you mean")
    else { return nil }
    return "options of the test runner come after --: firstlight test -- --filter NAME"
  }

  private func next(_ path: String, _ project: String) {
    let command = "firstlight dead \(Escaping.shellWord(path))"
    let isChanged = list.changed == nil && ChangeFinder.hasUncommittedSources(in: project)
    Terminal.report(
      "next: \(command) " + (isChanged ? "--changed HEAD" : "--format html -o dead.html"))
  }
}
