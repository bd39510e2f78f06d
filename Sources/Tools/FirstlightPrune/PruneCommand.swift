import ArgumentParser
import FirstlightModel
import NeverCalledListing
import ProcessControl
import ProfileFile
import Recording
import ReportFormats
import SourcePruning
import SuiteRecording
import SystemSupport
import TextFormatting

/// The `firstlight-prune` command, which `firstlight prune` starts.
@main
struct PruneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "firstlight-prune",
    abstract: "Writes a patch that removes never-called functions to which nothing refers.",
    usage: """
      firstlight prune [FILE.flp ...] [-o FILE] [--verify ['COMMAND']]
        [--time-limit DURATION] [<options>]
      """,
    discussion: """
        firstlight prune -o prune.diff --verify
        git apply prune.diff

      Removes the functions that firstlight dead --index shows as unreferenced or only with \
      others that go, with their comments and attributes, and extensions, types and files that \
      have nothing else in them. Writes a patch and changes no file.

      With --tests, the profile is one of the program: functions that tests alone call stay. \
      --with-tests removes them with their tests:

        firstlight prune production.flp --tests tests.flp --with-tests -o prune.diff

      A test goes only if all functions of yours that it refers to go. Otherwise they stay. With \
      --shared-tests it also goes if other tests, which stay, refer to the rest.

      Without a profile, reads the newest one of this folder or of its .build-firstlight. Comments \
      `// firstlight:keep`, rules in .firstlight.yml and baselines keep functions as in dead.

      --verify builds and tests a copy of the git repository, or of the package, without these \
      functions, takes back those that break it until all is well, and names them with the first \
      error. Its command is the one that firstlight test was told last, in a Swift package swift \
      build && swift test, in a CMake project cmake and ctest; otherwise name it. The copy lies in TMPDIR and goes at the end.

      Exit codes (others: see firstlight --help):
        0   written; empty if nothing can be removed
        2   insufficient evidence (--min-runs, --min-time); nothing is written
        3   written from an incomplete recording: removed functions may have run
        65  a source file changed after the build, or --verify fails anyway
        66  no profile, no index beside the binary, or no command for --verify
      """,
    version: ToolVersion.text)

  @Argument(
    help: ArgumentHelp("The profiles (default: the newest one here).", valueName: "file.flp"),
    completion: .file(extensions: [ProfileFile.pathExtension]))
  var profiles: [String] = []

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The patch (default: standard output).", valueName: "file"),
    completion: .file())
  var output: String?

  @Option(
    name: .customLong("verify"), defaultAsFlag: VerificationRecipe.automatic,
    help: ArgumentHelp(
      "Keep what this shell command needs to pass (default: the project's build and tests).",
      valueName: "command"))
  var verification: String?

  @Option(help: ArgumentHelp("End a run of --verify after this time.", valueName: "duration"))
  var timeLimit = Duration(seconds: 1800)

  @OptionGroup var options: PruneOptions

  func validate() throws {
    if let verification, verification.hasSuffix("." + ProfileFile.pathExtension) {
      throw ValidationError("put profiles before --verify: \(verification) is no command.")
    }
  }

  func run() throws {
    if let output { try ResultFile.checkWritable(output) }
    let folder = AbsolutePath.workingDirectory ?? "/"
    let command = try verification.map {
      try VerificationRecipe.command(
        $0, in: folder, tested: SuiteFolder(project: folder).plainCommand)
    }
    let signals = command.map { _ in HeldSignals() }
    let profiles = try profiles.isEmpty ? [LastProfile.announced()] : profiles
    let answer = try options.answer(of: profiles)
    let plan = PrunePlan(
      try PruneCandidates.of(answer, withTests: options.withTests, withShared: options.sharedTests),
      sources: PruneSources(root: ProjectFolder.repository(around: folder)),
      index: answer.references?.index)
    guard let command, let signals else {
      let patch = plan.patch(of: Set(plan.candidates.indices))
      return try write(patch, PruneReport(plan, patch), answer)
    }
    let verified = try VerifiedPatch(
      plan, command: command, in: AbsolutePath.resolved(folder) ?? folder,
      limit: timeLimit.seconds, signals: signals)
    try write(verified.patch, PruneReport(plan, verified), answer)
  }

  private func write(
    _ patch: PrunePatch, _ report: PruneReport, _ answer: NeverCalledAnswer
  ) throws {
    let lines = report.isEmpty ? [UndeletableText.line(answer.undeletable)] : report.lines
    for line in lines { Terminal.report(line) }
    try PatchOutput.write(UnifiedDiff.bytes(patch.changes), to: output)
    let losses = answer.list.losses
    guard losses.isEmpty else {
      throw Failure(
        .lossy,
        "the recording is incomplete (\(LossText.text(losses))): removed functions may have run",
        advice: "see firstlight info, and record again")
    }
  }

  static func main() {
    StandardStreams.reserve()
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch let interruption as VerificationCommand.Interrupted {
      EndingSignals.end(by: interruption.signal)
    } catch let failure as Failure {
      Terminal.report("error: \(failure)")
      exit(withError: ExitCode(failure.kind.rawValue))
    } catch {
      guard !(error is ExitCode), exitCode(for: error) != .success else { exit(withError: error) }
      // Users run this program as a command of firstlight.
      let text = UsageErrorText.text(fullMessage(for: error))
      Terminal.report(text.replacing("firstlight-prune --help", with: "firstlight prune --help"))
      exit(withError: ExitCode(exitCode(for: error).rawValue))
    }
  }
}
