import ArgumentParser
import DeadCode
import FirstlightModel
import Recording

struct DeadCommand: ProfileCommand {
  static let configuration = CommandConfiguration(
    commandName: "dead",
    abstract: "Lists the functions that no recorded run called.",
    discussion: """
      A function is listed if somebody wrote it, it has a guard, and no run came by it or by a piece \
      of it: closures, default arguments, accessors and specialisations count with their function. \
      What the compiler made, what may have run inlined and what has no guard is counted, and left \
      out; --all shows it. The first lines say how much was watched.

        firstlight dead app.flp --path '*/Sources/*'
        firstlight dead tests.flp --module MyLibrary --sort bytes
        firstlight dead week.flp --min-runs 1000 --baseline dead.json --strict

      A comment `// firstlight:keep - reason` at a declaration, or a rule in .firstlight.yml, keeps a \
      function off the list.

      Exit codes: 0 listed; 1 a gate was exceeded (--strict, --max-dead, --max-dead-bytes); 2 \
      insufficient evidence (--min-runs, --min-time), nothing listed; 3 listed, but some of what \
      happened was lost, which looks like never called; others as for all commands.
      """)

  @Argument(help: ArgumentHelp("The profiles.", valueName: "file.flp"))
  var profiles: [String]

  @OptionGroup var options: DeadOptions

  func run() throws { try run(on: ProfileFiles.readSums(profiles)) }

  func run(on profile: consuming Profile) throws {
    try DeadListing(options: options).run(on: profile)
  }
}
