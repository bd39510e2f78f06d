import ArgumentParser
import Building
import FirstlightModel
import ProcessControl
import ProfileFile
import Pruning
import SystemSupport

/// Where patches go, for whom, and how they are verified.
struct PatchOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The patch (default: standard output); with --by-owner, the folder of patches.",
      valueName: "file"),
    completion: .file())
  var output: String?

  @Flag(help: "Write a patch for each owner, with the evidence, for git am.")
  var byOwner = false

  @Option(
    help: ArgumentHelp(
      "The owners (default: CODEOWNERS in .github, the repository's folder, docs or .gitlab).",
      valueName: "file"), completion: .file())
  var owners: String?

  @Option(
    help: ArgumentHelp("Divide patches of --by-owner that change more lines.", valueName: "n"))
  var maxLines: Int?

  @Option(
    name: .customLong("verify"), defaultAsFlag: VerificationRecipe.automatic,
    help: ArgumentHelp(
      "Keep what this shell command needs to pass (default: the project's build and tests).",
      valueName: "command"))
  var verification: String?

  @Option(help: ArgumentHelp("End a run of --verify after this time.", valueName: "duration"))
  var timeLimit = TimeSpan(seconds: 1800)

  func validate() throws {
    if let verification, verification.ends(with: "." + ProfileFile.pathExtension) {
      throw ValidationError("put profiles before --verify: \(verification) is no command.")
    }
    if byOwner, output == nil || output == "-" {
      throw ValidationError("--by-owner writes several patches: name a folder with -o.")
    }
    if !byOwner, owners != nil || maxLines != nil {
      throw ValidationError("--owners and --max-lines need --by-owner.")
    }
    if let maxLines, maxLines < 1 { throw ValidationError("--max-lines must be 1 or more.") }
  }

  /// Throws a failure if the output cannot be written.
  func checkOutput() throws {
    guard let output else { return }
    if byOwner { try PatchFolder.check(output) } else { try ResultFile.checkWritable(output) }
  }

  /// A copy of the project for --verify; nil: nothing is verified. Holds signals back from now on.
  func tree() throws -> VerificationTree? {
    guard let verification else { return nil }
    let folder = AbsolutePath.workingDirectory ?? "/"
    let command = try VerificationRecipe.command(
      verification, in: folder, tested: SuiteFolder(project: folder).plainCommand)
    let root = ProjectFolder.repository(around: folder)
    EndingSignals.hold()
    return VerificationTree(
      of: AbsolutePath.resolved(root) ?? root, command: command,
      in: AbsolutePath.resolved(folder) ?? folder, limit: timeLimit.seconds)
  }
}
