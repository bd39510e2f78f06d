import ArgumentParser
import DeadCode
import FirstlightModel
import ProfileFile
import Recording
import ReportFormats
import SystemSupport
import TextFormatting

struct CoverageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coverage",
    abstract: "Joins, intersects or subtracts what profiles saw called.",
    discussion: """
      The profiles may be of different builds: then functions are the same that have the same \
      linker name, and for names local to a file the same file.

        firstlight coverage subtract production.flp tests.flp -o untested.flp
        firstlight dead --all untested.flp    called: in production, by no test

      Of intersect and subtract, runs, counts and moments are the first profile's. union is merge.
      """,
    subcommands: [Union.self, Intersect.self, Subtract.self])

  struct Arguments: ParsableArguments {
    @Argument(help: ArgumentHelp("The first profile.", valueName: "a.flp"))
    var first: String

    @Argument(help: ArgumentHelp("The second profile.", valueName: "b.flp"))
    var second: String

    @Option(
      name: .shortAndLong,
      help: ArgumentHelp("The profile to write; it may be one of those read.", valueName: "c.flp"))
    var output: String

    func write(_ profile: Profile) throws {
      try ProfileFile.write(profile.sorted(), to: output)
      let called = profile.builds.reduce(0) { sum, recorded in
        sum + recorded.build.functions.indices.count { recorded.isCalled(function: $0) }
      }
      Terminal.report("\(CountText.text(called, "called guard")) in \(output)")
    }
  }

  struct Union: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "What either profile saw called; runs that are in both count once.")

    @OptionGroup var arguments: Arguments

    func run() throws {
      try arguments.write(ProfileFiles.read([arguments.first, arguments.second]))
    }
  }

  struct Intersect: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "What both profiles saw called.")

    @OptionGroup var arguments: Arguments

    func run() throws {
      let first = try ProfileFile.read(arguments.first)
      try arguments.write(
        CoverageAlgebra.intersection(first, ProfileFile.read(arguments.second)))
    }
  }

  struct Subtract: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "What the first profile saw called, and the second did not.")

    @OptionGroup var arguments: Arguments

    func run() throws {
      let first = try ProfileFile.read(arguments.first)
      try arguments.write(CoverageAlgebra.difference(first, ProfileFile.read(arguments.second)))
    }
  }
}
