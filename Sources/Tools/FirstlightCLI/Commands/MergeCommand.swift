import ArgumentParser
import FirstlightModel
import Ordering
import ProfileFile
import Recording
import SystemSupport

struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merges several profiles into one.",
    discussion: """
        firstlight merge monday.flp tuesday.flp -o week.flp
        firstlight merge week.flp wednesday.flp -o week.flp

      A run that is in several profiles counts once, so merging a profile twice changes nothing. \
      The order of the profiles does not matter. Call counts of all runs are kept; traces, which \
      orders are made from, are sampled. Profiles are read one at a time: memory grows with the \
      number of functions.
      """)

  @Argument(help: ArgumentHelp("The profiles.", valueName: "file.flp"), completion: .profile)
  var profiles: [String]

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Output profile; it may be one of the inputs.", valueName: "file.flp"),
    completion: .profile)
  var output: String

  @Option(help: ArgumentHelp("Number of traces to keep, at least 1.", valueName: "n"))
  var maxTraces = 100

  func validate() throws {
    if maxTraces < 1 { throw ValidationError("--max-traces must be 1 or more.") }
  }

  func run() throws {
    let profile = try ProfileFiles.read(profiles, maxTraces: maxTraces).sorted()
    try ProfileFile.write(profile, to: output)
    let kept = profile.processes.count { !$0.calls.isEmpty }
    let leftOut = profile.processes.count { $0.isTraceLeftOut }
    Terminal.report(
      "merged \(CountText.text(profiles.count, "profile")) into \(output): "
        + "\(CountText.text(profile.runs.count, "run")), \(CountText.text(kept, "trace"))"
        + (leftOut > 0 ? " (\(CountText.number(leftOut)) more not kept)" : ""))
  }
}
