import FirstlightModel
import TextFormatting

extension NeverCalledRequest {
  /// - Parameter profile: the profile in which no function matches the request.
  static func nothing(of profile: Profile, _ observation: Observation) -> Failure {
    let modules = Set(
      profile.builds.flatMap { recorded in
        recorded.build.functions.map { $0.moduleName(in: recorded.build) }
      }
    ).sorted()
    if modules.isEmpty, !profile.losses.isEmpty {
      return Failure(
        .lossy, "the profile contains no functions: what ran could not be recorded",
        advice: "firstlight info shows the losses and their reasons")
    }
    if modules.isEmpty {
      if let problem = observation.problems.first {
        return Failure(.data, "the profile contains no functions: \(problem.text)")
      }
      return Failure(
        .data, "the profile contains no functions",
        advice: "build with the flags that firstlight flags prints, or record with --no-rebuild")
    }
    return Failure(
      .data, "no function matches --module, --path and --exclude",
      advice: "recorded modules: \(modules.prefix(12).joined(separator: ", "))"
        + (modules.count > 12 ? ", ..." : ""))
  }

  func check(_ observation: Observation) throws(Failure) {
    if let minimumRuns, observation.runs < minimumRuns {
      throw Failure(
        .insufficientEvidence,
        "insufficient evidence: \(CountText.text(observation.runs, "run")) recorded; --min-runs "
          + "requires \(CountText.number(minimumRuns))",
        advice: "record more runs and pass all profiles")
    }
    if let minimumTime, observation.timeObserved < minimumTime {
      throw Failure(
        .insufficientEvidence,
        "insufficient evidence: \(TimeText.text(observation.timeObserved)) recorded; --min-time "
          + "requires \(TimeText.text(minimumTime))",
        advice: "record longer or more often, and pass all profiles")
    }
  }

  /// Checks the runs of each function separately, because no run loads the images and builds of all functions.
  func check(_ report: DeadCodeReport) throws(Failure) {
    let functions = report.functions
    let fewest = functions.indices.lazy.filter { functions[$0].verdict == .neverCalled }
      .map { functions[$0].watchedRuns }.min()
    guard let minimumRuns, let fewest, fewest < minimumRuns else { return }
    throw Failure(
      .insufficientEvidence,
      "insufficient evidence: only \(CountText.number(fewest)) of "
        + "\(CountText.text(report.observation.runs, "run")) recorded some of the never-called "
        + "functions; --min-runs requires \(CountText.number(minimumRuns))",
      advice: "record more runs of each build, or choose modules with --module")
  }
}
