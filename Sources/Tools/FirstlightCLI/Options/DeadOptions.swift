import ArgumentParser
import FirstlightModel
import NeverCalled

extension DeadFormat: OutputFormat {}
extension DeadCodeList.Sorting: ExpressibleByArgument {}

/// The options of all never-called lists, from a profile or from a fleet.
struct DeadOptions: ParsableArguments {
  @OptionGroup var report: ReportOptions<DeadFormat>

  @Option(
    help: ArgumentHelp(
      "List only functions that the working tree has added or changed since the merge base with this "
        + "revision of git's, such as main. HEAD: what is not committed.", valueName: "rev"))
  var changed: String?

  @Option(
    help: ArgumentHelp(
      "List only functions of these Swift modules or, for other languages, binaries. Repeatable.",
      valueName: "glob"), completion: .module)
  var module: [String] = []

  @Option(
    help: ArgumentHelp(
      "List only functions declared in these source files or folders. Repeatable.",
      valueName: "glob"),
    completion: .file())
  var path: [String] = []

  @Option(
    help: ArgumentHelp(
      "Leave out functions of these modules or source files. Repeatable.", valueName: "glob"),
    completion: .module)
  var exclude: [String] = []

  @Option(help: ArgumentHelp("List only functions of at least n bytes.", valueName: "n"))
  var minBytes: UInt64 = 0

  @Option(help: "Sort by bytes, file, module, run-share or references (default with --index).")
  var sort: DeadCodeList.Sorting?

  @Option(
    help: ArgumentHelp(
      "Leave out functions listed in this baseline; gates count the rest.", valueName: "file"),
    completion: .file())
  var baseline: String?

  @Option(
    help: ArgumentHelp("Write the never-called functions to a baseline.", valueName: "file"),
    completion: .file())
  var writeBaseline: String?

  @Flag(help: "Exit with 1 if a function is listed, or a keep comment or rule is stale.")
  var strict = false

  @Option(help: ArgumentHelp("Exit with 1 if more than n functions are listed.", valueName: "n"))
  var maxDead: Int?

  @Option(
    help: ArgumentHelp("Exit with 1 if the listed functions exceed n bytes.", valueName: "n"))
  var maxDeadBytes: UInt64?

  @Option(
    help: ArgumentHelp("Exit with 1 if more than n functions can be deleted.", valueName: "n"))
  var maxDeletable: Int?

  @Option(
    help: ArgumentHelp(
      "Exit with 2, without a list, if fewer than n runs were recorded, in total or of a listed "
        + "function.", valueName: "n"))
  var minRuns: Int?

  @Option(
    help: ArgumentHelp(
      "Exit with 2, without a list, if all runs together recorded less time: 90s, 15m, 24h, 7d.",
      valueName: "duration"))
  var minTime: TimeSpan?

  @Option(
    help: ArgumentHelp(
      "Also list functions called in a smaller share of the runs: 0.01 or 1%.",
      valueName: "share"))
  var below: Share?

  @Option(
    help: ArgumentHelp(
      "Show owners from this CODEOWNERS file, with patterns relative to the working directory.",
      valueName: "file"), completion: .file())
  var owners: String?

  @Option(
    help: ArgumentHelp(
      "Map a source directory at compile time to its place now. Repeatable.",
      valueName: "from=to"))
  var pathMap: [String] = []

  @Option(
    help: ArgumentHelp(
      "Also report functions that the linker dropped, from its --print-gc-sections output.",
      valueName: "file"), completion: .file())
  var gcSections: String?

  @Flag(help: "List the functions of tests and dependencies, too.")
  var dependencies = false

  @Option(
    help: ArgumentHelp(
      "Your own code is in these source files, not below the project's folder. Repeatable.",
      valueName: "glob"))
  var own: [String] = []

  @Option(
    help: ArgumentHelp(
      "Show what refers to each function, from the compilers' index at this path; auto: the one "
        + "beside the binary.", valueName: "path"), completion: .directory)
  var index: String?

  @Flag(help: "List only what can be deleted: nothing that may run refers to it.")
  var deletable = false

  @Flag(
    name: .customLong("public"),
    help: "Also take for deletable what users of a library may call: public and in its headers.")
  var takesPublic = false

  @Option(help: ArgumentHelp("Show at most n rows (text only).", valueName: "n"))
  var limit: Int?

  @Flag(help: "Show names with their modules and types (text only).")
  var fullNames = false

  @Flag(help: "Show since when nothing called each function, and when its line was last changed.")
  var age = false

  @Flag(help: "List all functions with their verdicts, including compiler-generated ones.")
  var all = false

  /// The index to read; nil if no option needs one.
  var usedIndex: String? {
    let needsOne = deletable || takesPublic || maxDeletable != nil || sort == .references
    return index ?? (needsOne ? "auto" : nil)
  }

  var sorting: DeadCodeList.Sorting { sort ?? (usedIndex == nil ? .module : .references) }

  func validate() throws {
    if let bad = pathMap.first(where: { !$0.containsUTF8("=") || $0.begins(with: "=") }) {
      throw ValidationError("--path-map must be FROM=TO, not '\(bad)'.")
    }
    if let maxDead, maxDead < 0 { throw ValidationError("--max-dead must be 0 or more.") }
    if let maxDeletable, maxDeletable < 0 {
      throw ValidationError("--max-deletable must be 0 or more.")
    }
    if let limit, limit < 0 { throw ValidationError("--limit must be 0 or more.") }
    if let minRuns, minRuns < 1 { throw ValidationError("--min-runs must be 1 or more.") }
  }
}
