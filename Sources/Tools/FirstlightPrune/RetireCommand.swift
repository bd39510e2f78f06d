import ArgumentParser
import FirstlightModel
import NeverCalledListing
import ProcessControl
import ProfileFile
import Recording
import SourcePruning
import SystemSupport

/// The command `retire` of `firstlight-prune`, which `firstlight retire` starts.
struct RetireCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "firstlight-retire",
    abstract: "Writes a patch that deprecates functions that nothing called for long enough.",
    usage: """
      firstlight retire [FILE.flp ...] [-o FILE] [--verify ['COMMAND']]
        [--time-limit DURATION] [--by-owner [--max-lines N]] [<options>]
      """,
    discussion: """
        firstlight retire week-*.flp -o retire.diff --verify
        git apply retire.diff
        firstlight prune week-*.flp --marked -o prune.diff --verify

      Marks never-called functions, unless code that stays unmarked refers to them: in Swift with \
      @available(*, deprecated), in C with __attribute__((deprecated)). The message shows since when and \
      in how many runs nothing called the function. Functions that ran lose their mark. Run it again with \
      later profiles: it marks functions that became due, and changes nothing else.

      The rules are in .firstlight.yml:

        retire:
          deprecate: {weeks: 4, runs: 100}
          remove: {weeks: 12, runs: 100}

      A function is marked after that many weeks and runs without a call. After the weeks and runs of \
      remove, counted from the mark, firstlight prune --marked removes it.

      In C and C++, functions to which anything refers stay unmarked, because gcc warns of calls of a \
      deprecated function even in a deprecated one. Functions in C++ are marked only with --verify, which \
      takes back marks that make the build warn.

      Exit codes (others: see firstlight --help):
        0   written; empty if nothing is due
        2   insufficient evidence (--min-runs, --min-time); nothing is written
        3   written from an incomplete recording: functions may have run
        65  a source file changed after the build, or --verify fails without any mark
        66  no profile, no index beside the binary, or no command for --verify
      """,
    version: ToolVersion.text)

  @Argument(
    help: ArgumentHelp("The profiles (default: the newest one here).", valueName: "file.flp"),
    completion: .file(extensions: [ProfileFile.pathExtension]))
  var profiles: [String] = []

  @OptionGroup var patch: PatchOptions

  @OptionGroup var options: PruneOptions

  func run() throws {
    try patch.checkOutput()
    let tree = try patch.tree(refusesMarks: true)
    let profiles = try LastProfile.named(profiles, tests: options.tests)
    let rules = try options.rules(around: profiles)
    let retirement = Retirement(
      try options.answer(of: profiles), rules: rules,
      sources: PruneSources(
        root: ProjectFolder.repository(around: AbsolutePath.workingDirectory ?? "/")))
    let plan = try retirement.plan(isVerified: tree != nil)
    try PatchOutput(options: patch, tree: tree).run(
      plan, plan.due, retirement.answer, nothing: retirement.waiting(plan))
  }
}
