import ArgumentParser
import Building
import FirstlightModel
import Glibc
import NeverCalled
import ProcessControl
import ProfileFile
import Pruning
import Recording
import SystemSupport

/// The `firstlight-prune` command, which `firstlight prune` starts.
@main
struct PruneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "firstlight-prune",
    abstract: "Writes a patch that removes never-called functions to which nothing refers.",
    usage: """
      firstlight prune [FILE.flp ...] [-o FILE] [--verify ['COMMAND']]
        [--time-limit DURATION] [--by-owner [--max-lines N]] [<options>]
      """,
    discussion: """
        firstlight prune -o prune.diff --verify
        git apply prune.diff
        firstlight prune --by-owner -o patches --verify
        git am patches/*.patch

      Removes the functions that firstlight dead --deletable lists, with their comments and \
      attributes, and extensions, types and files that have nothing else in them. Writes a patch \
      and changes no file.

      With --tests, the profile is one of the program, and functions that only tests call stay. \
      --with-tests removes them with their tests:

        firstlight prune production.flp --tests tests.flp --with-tests -o prune.diff

      A test is removed only if all functions of yours that it refers to are removed. Otherwise the \
      test and its functions stay.

      Without a profile, reads the newest one of this folder or of its .build-firstlight. Comments \
      `// firstlight:keep`, rules in .firstlight.yml and baselines keep functions as in dead.

      --verify builds and tests a copy of the git repository, or of the package, without these \
      functions. It takes back removals until build and tests pass, and names each with its first \
      error. The command is that of the last firstlight test; in a Swift package, swift build && \
      swift test; in a CMake project, cmake and ctest. Elsewhere, name the command. The copy lies in \
      TMPDIR and is deleted at the end.

      --by-owner writes a patch for each owner in CODEOWNERS, as git format-patch does, with the runs \
      and hosts behind it. If a removal needs another one in a file of another owner, one patch for both \
      owners has both. With --verify each patch passes on its own, or with those that it names.

      Exit codes (others: see firstlight --help):
        0   written; empty if nothing can be removed
        2   insufficient evidence (--min-runs, --min-time); nothing is written
        3   written from an incomplete recording: removed functions may have run
        65  a source file changed after the build, or --verify fails with nothing removed
        66  no profile, no index beside the binary, or no command for --verify
      """,
    version: ToolVersion.text)

  @Argument(
    help: ArgumentHelp("The profiles (default: the newest one here).", valueName: "file.flp"),
    completion: .file(extensions: [ProfileFile.pathExtension]))
  var profiles: [String] = []

  @Flag(help: "Also remove the functions that tests alone call, and these tests. Needs --tests.")
  var withTests = false

  @Flag(name: .customLong(DeletionQuestion.option), help: .hidden)
  var isAsked = false

  @OptionGroup var patch: PatchOptions

  @OptionGroup var options: PruneOptions

  func validate() throws {
    if withTests, options.tests.isEmpty {
      throw ValidationError(
        "--with-tests needs two profiles: firstlight prune production.flp --tests tests.flp "
          + "--with-tests.")
    }
  }

  func run() throws {
    let check = DeclarationCheck()
    if isAsked {
      let question = try FileContents.argument("/dev/stdin")
      return try FileContents.write(
        DeletionQuestion.answer(question, by: check.answer), to: STDOUT_FILENO)
    }
    try patch.checkOutput()
    let tree = try patch.tree()
    // Verification has commands of the user to end first, and messages of its own.
    let signals =
      tree == nil
      ? try EndingSignals {
        Terminal.report("error: interrupted")
        ResultFile.removeUnfinished()
        EndingSignals.end(by: $0)
      } : nil
    defer { withExtendedLifetime(signals) {} }
    let profiles = try LastProfile.named(profiles, tests: options.tests)
    let answer = try options.answer(of: profiles, check: check.answer)
    let plan = PrunePlan(
      try PruneCandidates.of(answer, withTests: withTests),
      sources: check.sources(in: answer.patchFolder), index: answer.references?.index)
    UndeletableText.publicLine(answer.undeletable).map { Terminal.report($0) }
    try PatchOutput(options: patch, tree: tree).run(
      plan, answer, nothing: UndeletableText.line(answer.undeletable))
  }

  static func main() { UsualStack.run { PruneCommand.runMain() } }

  private static func runMain() {
    StandardStreams.reserve()
    do {
      var command = try parseAsRoot(Array(CommandLine.words.dropFirst()))
      try command.run()
    } catch let interruption as VerificationCommand.Interrupted {
      Terminal.report("error: interrupted while verifying; no patch was written")
      EndingSignals.end(by: interruption.signal)
    } catch {
      if error is ExitCode { exit(withError: error) }
      let (message, code) = (fullMessage(for: error), exitCode(for: error))
      let isHelp = !(error is Failure) && code == .success
      if let failure = isHelp ? Output.failure(writing: message) : error as? Failure {
        Terminal.report("error: \(failure)")
        exit(withError: ExitCode(failure.kind.rawValue))
      }
      if isHelp { exit(withError: ExitCode.success) }
      // Users run this program as a command of firstlight.
      let text = UsageErrorText.text(message)
      Terminal.report(
        text.replacing(utf8: "firstlight-prune --help", with: "firstlight prune --help"))
      exit(withError: code)
    }
  }
}
