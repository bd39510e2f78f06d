import FirstlightModel
import Glibc
import TraceReader

/// A run that is over: what is known of it beside what its processes wrote.
struct RecordedRun {
  var directory: String
  /// Empty if we did not run it.
  var command: [String]
  /// Seconds since 1970; 0 if we did not run it.
  var startedAt = 0.0
  var endedAt = 0.0
  var ending = ProgramEnding.none
  var until = StartupMoment.exit
  /// CLOCK_MONOTONIC at which the moment was seen from outside, seconds; nil if it was not.
  var reachedAt: Double?
  /// Whether it was stopped since the moment did not come in time.
  var isLate = false
  /// Whether a signal asked us to end while it ran.
  var wasAskedToEnd = false

  /// Whether there is nothing to write because no process had guards, nor set marks without.
  func isEmptyForWantOfGuards(_ profile: Profile) -> Bool {
    profile.builds.isEmpty && profile.losses.isEmpty
      && profile.processes.allSatisfy { $0.marks.isEmpty }
  }

  /// Why nothing was recorded and what to do about it.
  func nothingRecorded(noRebuild: Bool) -> Failure {
    guard let program = command.first else {
      return Failure(
        .data, "\(directory): no recorded process left anything here",
        advice: "start the program with FIRSTLIGHT_DIR set to this directory's absolute path")
    }
    if noRebuild {
      return Failure(
        .data,
        "nothing was recorded: no process of this run has functions to watch, \(program) included",
        advice: "keep the symbols of the program, or put its separate debug file beside it")
    }
    return Failure(
      .data,
      "nothing was recorded: no process of this run has guards, \(program) included",
      advice: "build it with the words of: firstlight flags swiftpm|swiftc|clang")
  }
}
