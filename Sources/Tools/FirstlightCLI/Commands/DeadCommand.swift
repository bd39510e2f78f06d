import ArgumentParser
import DeadCode
import FirstlightModel
import Recording

struct DeadCommand: ProfileCommand {
  static let configuration = CommandConfiguration(
    commandName: "dead",
    abstract: "Lists the functions that no recorded run called.",
    discussion: """
        firstlight dead app.flp --path '*/Sources/*'
        firstlight dead tests.flp --module MyLibrary --sort bytes
        firstlight dead week.flp --min-runs 1000 --baseline dead.json --strict

      Lists hand-written functions that no recorded run called. Closures, default arguments, \
      accessors and specialisations count with their function. Compiler-generated functions, \
      functions that may have been inlined and functions that were not recorded are counted; \
      --all lists them. The first lines show how much was recorded.

      A comment `// firstlight:keep - reason` at a declaration, or a rule in .firstlight.yml, \
      keeps a function off the list.

      Exit codes (others: see firstlight --help):
        0   listed
        1   a gate was exceeded (--strict, --max-dead, --max-dead-bytes)
        2   insufficient evidence (--min-runs, --min-time); nothing is listed
        3   listed from an incomplete recording: listed functions may have run
      """)

  @Argument(help: ArgumentHelp("The profiles.", valueName: "file.flp"))
  var profiles: [String]

  @OptionGroup var options: DeadOptions

  func run() throws { try run(on: ProfileFiles.readSums(profiles)) }

  func run(on profile: consuming Profile) throws {
    try DeadListing(options: options).run(on: profile)
  }
}
