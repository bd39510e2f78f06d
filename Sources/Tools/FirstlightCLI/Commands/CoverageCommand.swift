import ArgumentParser
import DeadCode
import FirstlightModel
import ProfileFile
import Recording
import ReportFormats
import SystemSupport

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
      """)

  enum Operation: String, ExpressibleByArgument, CaseIterable { case union, intersect, subtract }

  @Argument(
    help:
      "Functions to keep: union (called in either profile), intersect (in both), subtract (in the first alone)."
  )
  var operation: Operation

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

  func run() throws {
    switch operation {
    case .union:
      try write(ProfileFiles.read([first, second]), what: "called in \(first) or in \(second)")
    case .intersect:
      try write(
        CoverageAlgebra.intersection(ProfileFile.read(first), ProfileFile.read(second)),
        what: "called in \(first) and in \(second)")
    case .subtract:
      try write(
        CoverageAlgebra.difference(ProfileFile.read(first), ProfileFile.read(second)),
        what: "called in \(first) and not in \(second)")
    }
  }

  /// - Parameter what: describes the called functions: "called in a.flp or in b.flp".
  private func write(_ profile: Profile, what: String) throws {
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
