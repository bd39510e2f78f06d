import ArgumentParser
import FirstlightModel
import NeverCalled
import ProfileFile
import Recording
import Reports
import SystemSupport

struct DeadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dead",
    abstract: "Lists the functions that no recorded run called.",
    discussion: """
        firstlight dead
        firstlight dead app.flp --sort bytes --limit 20
        firstlight dead week.flp --min-runs 1000 --baseline dead.json --strict
        firstlight dead --deletable
        firstlight dead production.flp --tests tests.flp
        firstlight dead --changed main --strict

      Lists hand-written functions that no recorded run called. Closures, default arguments, \
      accessors and specialisations count with their function. Compiler-generated functions, \
      functions that may have been inlined and functions that were not recorded are counted; \
      --all lists them. The first lines show how much was recorded.

      Without a profile, reads the newest one of this folder or of its .build-firstlight. Lists \
      your own code: what lies in the git repository or package around the working directory, \
      except tests and copies of dependencies. JSON, LCOV and HTML have all code. \
      --module and --path choose other code.

      --index shows what refers to each function, and lists first what can be deleted; --deletable \
      lists that alone.

      --tests lists first what tests alone call, with these tests: production.flp is a recording \
      of the program, tests.flp one of its tests.

      --changed main lists the functions that the working tree has added or changed since it left \
      main: which were never called, and of which nothing is known. Nothing is known of files that changed \
      after the recording. Of a pull request that GitHub merged for its checks, the change is \
      --changed HEAD^1.

      A comment `// firstlight:keep - reason` at a declaration, or a rule in .firstlight.yml, \
      keeps a function off the list.

      Exit codes (others: see firstlight --help):
        0   listed
        1   a gate was exceeded (--strict, --max-dead, --max-dead-bytes,
            --max-deletable)
        2   insufficient evidence: nothing is listed (--min-runs, --min-time), or
            a gate depends on functions of which nobody knows whether they ran,
            or on files that changed after the recording (--changed)
        3   incomplete recording: listed functions may have run, or nothing was
            recorded that could be listed
      """)

  @Argument(
    help: ArgumentHelp(
      "The profiles, or - for standard input (default: the newest one here).", valueName: "file.flp"
    ),
    completion: .profile)
  var profiles: [String] = []

  @Option(
    help: ArgumentHelp(
      "Show which functions tests alone call, from this profile of the program's tests. Repeatable.",
      valueName: "file.flp"), completion: .profile)
  var tests: [String] = []

  @OptionGroup var options: DeadOptions

  func validate() throws {
    if options.changed != nil, !tests.isEmpty {
      throw ValidationError("--changed needs the profile of one build: leave out --tests.")
    }
  }

  func run() throws {
    try ResultFile.checkWritable(options.report.output, options.writeBaseline)
    let profiles = try LastProfile.named(profiles, tests: tests)
    // The programs of a fleet were built elsewhere, so only patterns and the tests show the project's own code.
    let places = profiles == ["-"] ? tests : profiles
    let tree = places.isEmpty ? SourceTree() : SourceTree(around: places)
    let source: DeadListing.Source =
      profiles == ["-"] ? .fleet : profiles.allSatisfy(LastProfile.isOfTests) ? .tests : .runs
    try DeadListing(options, in: tree, tests: tests, of: source).run(
      on: ProfileFiles.readSums(profiles))
  }
}
