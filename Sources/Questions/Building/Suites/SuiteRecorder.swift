import FirstlightModel
import Foundation
import Glibc
import ProcessControl
import ProfileFile
import Recording
import SystemSupport

/// Builds a project's tests with guards or entry hooks and records a run of them: everything in `test` before the
/// list.
package struct SuiteRecorder {
  package let folder: SuiteFolder
  package let recipe: SuiteRecipe
  /// Path of the profile.
  private let path: String
  private let environment: [TextBytes: String]
  /// Prevents other runs of `test` in this folder while this object lives.
  private let lock: SuiteLock

  /// Creates the folder, and waits until no other run of `test` uses it.
  ///
  /// - Parameter path: path of the profile.
  package init(
    folder: SuiteFolder, recipe: SuiteRecipe, flags: SuiteRecipe.Flags, path: String
  ) throws(Failure) {
    try folder.create()
    try ResultFile.checkWritable(path)
    lock = try SuiteLock(folder.lock)
    self.folder = folder
    self.recipe = recipe
    self.path = path
    if recipe.isSwiftPM {
      do throws(Failure) { _ = try ProgramPath.find("swift") } catch {
        throw Failure(
          .unavailable, "swift: not found on PATH",
          advice: "put the Swift toolchain's usr/bin on it")
      }
    }
    environment =
      recipe.needsCompilers
      ? try CompilerWrappers(in: folder.compilers) { flags.wrapped(for: $0, in: folder) }
        .environment
      : [:]
  }

  /// Builds the tests; fails with `.data`, after printing the errors.
  package func build() throws(Failure) {
    guard let command = recipe.build else { return }
    if recipe.isCMake { try folder.prepareCMake(recipe.definitions) }
    Terminal.report(
      "building with \(recipe.isSwiftPM ? "guards and counters" : "entry hooks (clang: and counters)"): \(recipe.buildText) "
        + "(the first time compiles everything, dependencies too)")
    let log = try ProgramLog(folder.log("build"))
    let start = Clock.monotonic()
    // Counted programs that the build runs, such as macros, would leave their counters in the project.
    let shell = ProgramCommand(
      shell: inFolder(command),
      environment: environment.merging(["LLVM_PROFILE_FILE": "/dev/null"]) { $1 },
      log: log)
    let ending = try shell.runToEnd("building")
    let status = ending.status
    if ending.signal != nil || status.isInterrupted {
      Terminal.report("error: interrupted while building; the profile is as it was")
      EndingSignals.end(by: ending.signal ?? status.signal ?? SIGINT)
    }
    guard status.exitStatus == 0 else {
      for line in shell.log.reasons(12) { Terminal.report("  \(line)") }
      throw Failure(
        .data, "the build \(status.text): \(recipe.buildText)",
        advice: "the lines above are from \(log.path)")
    }
    if recipe.needsCompilers {
      for line in shell.log.lines(from: CompilerWrappers.prefix) {
        Terminal.report("warning: \(line)")
      }
    }
    Terminal.report(
      "built in \(TimeText.text(Clock.monotonic() - start)); log: \(log.path)")
  }

  /// Runs the tests; their output goes to our own.
  ///
  /// The profile of an interrupted run lies beside an earlier one and does not replace it; that of
  /// a run without tests is not kept.
  package func record() throws(Failure) -> RecordingSession.Outcome {
    Terminal.report("running the tests: \(recipe.runText)")
    var session = try RecordingSession(
      ["/bin/sh", "-c", inFolder(recipe.run)], to: path, environment: environment, isQuiet: true
    ) { [recipe, folder] run, profile, path in
      if run.isInterrupted, ResultFile.isFile(path) { return LastProfile.interrupted(path) }
      let ran =
        !recipe.isSwiftPM || run.failure != nil
        || TestEvidence.ran(in: profile, project: folder.project)
      return ran ? path : nil
    }
    let outcome = try session.run()
    try folder.note(plainCommand: recipe.plain)
    return outcome
  }

  /// The reason why a run that called no test is not kept.
  package var noTestRan: Failure {
    Failure(
      .data, "no test ran: \(recipe.runText)",
      advice: access(path, F_OK) == 0
        ? "\(path) of an earlier run stays; see the output above: does a filter leave any tests?"
        : "see the output above: does the package have tests, and does a filter leave any?")
  }

  /// The failure if nothing was recorded.
  package func nothingRecorded(_ run: RecordedRun) -> Failure {
    let what = "nothing was recorded (tests: \(run.ending.outcome)): "
    if recipe.isSwiftPM {
      return Failure(
        .data, what + "no instrumented test program ran",
        advice: "see the output above: does the package have tests, and does a filter leave any?")
    }
    if recipe.isCMake {
      return Failure(
        .data, what + "ctest ran no program that was built with entry hooks",
        advice: "see the output above: does the project add tests (add_test)? If not, name the "
          + "program that runs them: \(SuiteRecipe.cmake(running: "build-tests/PROGRAM"))")
    }
    if recipe.needsCompilers {
      return Failure(
        .data, what + "no program that the run started was built with entry hooks",
        advice: (run.failure == nil ? "" : "see the output above; if the tests ran, ")
          + "begin --build with make clean if objects were there before; if the build names its "
          + "compiler by its path, pass the flags yourself: "
          + "--build 'make CC=\"gcc {flags}\"'")
    }
    return Failure(
      .data, what + "no program that the run started was built with entry hooks",
      advice: "the commands must pass {flags} to gcc or clang both when compiling and when linking")
  }

  /// Compilers record the folder under the shell's name for it, which must be ours.
  private func inFolder(_ command: String) -> String {
    "cd \(Escaping.shellWord(folder.project)) && \(command)"
  }
}
