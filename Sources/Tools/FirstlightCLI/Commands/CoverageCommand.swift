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
    abstract: "Combines the called functions of two profiles: union, intersection, difference.",
    discussion: """
      For example, functions that production calls and no test does:

        firstlight coverage subtract production.flp tests.flp

      Profiles of different builds are matched by linker name, and by source file for names that \
      are local to a file. intersect and subtract keep the runs, counts and times of the first \
      profile. union does the same as merge.
      """,
    subcommands: [Union.self, Intersect.self, Subtract.self])

  struct Arguments: ParsableArguments {
    @Argument(help: ArgumentHelp("The first profile.", valueName: "a.flp"), completion: .profile)
    var first: String

    @Argument(help: ArgumentHelp("The second profile.", valueName: "b.flp"), completion: .profile)
    var second: String

    @Option(
      name: .shortAndLong,
      help: ArgumentHelp(
        "Write a profile instead of printing the functions; it may be one of the inputs.",
        valueName: "c.flp"), completion: .profile)
    var output: String?

    /// - Parameter what: describes the called functions: "called in a.flp or in b.flp".
    func write(_ profile: Profile, what: String) throws {
      guard let output else {
        return try Output.write(CalledFunctionsText.text(of: profile, what: what), to: nil)
      }
      try ProfileFile.write(profile.sorted(), to: output)
      let count = CalledFunctionsText.count(of: profile)
      Terminal.report(
        "wrote \(CountText.text(count, "called function")) to \(output); next: firstlight dead "
          + "--all \(ShellText.quoted(output))")
    }
  }

  struct Union: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Keeps functions called in either profile; runs in both count once.")

    @OptionGroup var arguments: Arguments

    func run() throws {
      try arguments.write(
        ProfileFiles.read([arguments.first, arguments.second]),
        what: "called in \(arguments.first) or in \(arguments.second)")
    }
  }

  struct Intersect: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Keeps functions called in both profiles.")

    @OptionGroup var arguments: Arguments

    func run() throws {
      let first = try ProfileFile.read(arguments.first)
      try arguments.write(
        CoverageAlgebra.intersection(first, ProfileFile.read(arguments.second)),
        what: "called in \(arguments.first) and in \(arguments.second)")
    }
  }

  struct Subtract: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Keeps functions called in the first profile but not in the second.")

    @OptionGroup var arguments: Arguments

    func run() throws {
      let first = try ProfileFile.read(arguments.first)
      try arguments.write(
        CoverageAlgebra.difference(first, ProfileFile.read(arguments.second)),
        what: "called in \(arguments.first) and not in \(arguments.second)")
    }
  }
}
