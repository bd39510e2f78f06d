import ArgumentParser
import FirstlightModel
import ProfileFile
import Recording
import ReportFormats
import SystemSupport
import TextFormatting

struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merges several profiles into one.",
    discussion: """
      A run that is in several of them counts once, so merging a profile twice changes nothing, and \
      the profiles' order makes no difference. What was called how often is kept of all runs; of \
      their traces, which orders are made from, a sample is kept that depends on the runs only. \
      Profiles are read one at a time: memory grows with the number of functions.

        firstlight merge monday.flp tuesday.flp -o week.flp
        firstlight merge week.flp wednesday.flp -o week.flp
      """)

  @Argument(help: ArgumentHelp("The profiles.", valueName: "file.flp"))
  var profiles: [String]

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The profile to write; it may be one of those read.", valueName: "file.flp"))
  var output: String

  @Option(help: ArgumentHelp("How many traces to keep, at least 1.", valueName: "n"))
  var maxTraces = 100

  func validate() throws {
    if maxTraces < 1 { throw ValidationError("--max-traces is a number of at least 1.") }
  }

  func run() throws {
    let profile = try ProfileFiles.read(profiles, maxTraces: maxTraces).sorted()
    try ProfileFile.write(profile, to: output)
    let kept = profile.processes.count { !$0.calls.isEmpty }
    let leftOut = profile.processes.count { $0.isTraceLeftOut }
    Terminal.report(
      "merged \(CountText.text(profiles.count, "profile")) into \(output): "
        + "\(CountText.text(profile.runs.count, "run")), \(CountText.text(kept, "trace"))"
        + (leftOut > 0 ? " (\(CountText.number(leftOut)) left out)" : ""))
  }
}
