import ArgumentParser
import FirstlightModel
import NeverCalled
import ProcessControl
import ProfileFile
import Recording

/// Selects the functions that may be removed: the row options of never-called lists.
struct PruneOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The index that shows references: its path, or auto for the one beside the binary.",
      valueName: "path"), completion: .directory)
  var index = "auto"

  @Option(
    help: ArgumentHelp(
      "The profile of the program's tests, beside that of the program. Repeatable.",
      valueName: "file.flp"), completion: .file(extensions: [ProfileFile.pathExtension]))
  var tests: [String] = []

  @Option(
    help: ArgumentHelp(
      "Take only functions of these Swift modules or, for other languages, binaries. Repeatable.",
      valueName: "glob"))
  var module: [String] = []

  @Option(
    help: ArgumentHelp(
      "Take only functions declared in these source files or folders. Repeatable.",
      valueName: "glob"), completion: .file())
  var path: [String] = []

  @Option(
    help: ArgumentHelp(
      "Keep functions of these modules or source files. Repeatable.", valueName: "glob"),
    completion: .file())
  var exclude: [String] = []

  @Option(
    help: ArgumentHelp(
      "Your own code is in these source files, not below the project's folder. Repeatable.",
      valueName: "glob"))
  var own: [String] = []

  @Option(
    help: ArgumentHelp("Keep functions listed in this baseline.", valueName: "file"),
    completion: .file())
  var baseline: String?

  @Option(
    help: ArgumentHelp(
      "Exit with 2, without a patch, if fewer than n runs were recorded, in total or of a "
        + "function.",
      valueName: "n"))
  var minRuns: Int?

  @Option(
    help: ArgumentHelp(
      "Exit with 2, without a patch, if all runs together recorded less time: 15m, 24h, 7d.",
      valueName: "duration"))
  var minTime: TimeSpan?

  @Flag(
    name: .customLong("public"),
    help: "Also remove what users of a library may call: public and in its headers.")
  var takesPublic = false

  func validate() throws {
    if let minRuns, minRuns < 1 { throw ValidationError("--min-runs must be 1 or more.") }
  }

  /// The functions of profiles that can be removed.
  func answer(
    of profiles: [String], check: @escaping DeletionCheck
  ) throws -> NeverCalledAnswer {
    var request = NeverCalledRequest()
    (request.modules, request.paths, request.excluded) = (module, path, exclude)
    if let baseline { try request.readBaseline(baseline) }
    (request.minimumRuns, request.minimumTime) = (minRuns, minTime?.seconds)
    var tree = SourceTree(around: profiles)
    tree.own = own
    return try NeverCalledAnswer(
      to: request, in: tree, index: index, allowsPublic: takesPublic,
      from: ProfileFiles.readSums(profiles),
      tests: tests.isEmpty ? nil : ProfileFiles.readSums(tests), check: check)
  }
}

/// A span of time on the command line: `90s`, `15m`, `24h`.
struct TimeSpan: ExpressibleByArgument {
  let seconds: Double

  init(seconds: Double) { self.seconds = seconds }

  init?(argument: String) {
    guard let seconds = ReadinessCondition.seconds(argument), seconds > 0 else { return nil }
    self.seconds = seconds
  }

  /// The default in the form of user input.
  var defaultValueDescription: String { "\(Int(seconds / 60))m" }
}
