import FirstlightModel
import Reports
import SystemSupport

/// The last lines of a recording: a summary and the next command.
package enum RecordingText {
  /// `recorded 15 of 24 functions in 1 process, 2 binaries -> app.flp`
  package static func line(of profile: Profile, path: String) -> String {
    var recorded: [String] = []
    if !profile.builds.isEmpty {
      let counts = profile.builds.map(Self.counts)
      let functions = CountText.text(counts.reduce(0) { $0 + $1.all }, "function")
      recorded.append("\(CountText.number(counts.reduce(0) { $0 + $1.called })) of \(functions)")
    }
    let marks = profile.processes.reduce(0) { $0 + $1.marks.count }
    if marks > 0 { recorded.append(CountText.text(marks, "mark")) }
    var text =
      "recorded \(recorded.isEmpty ? "nothing" : recorded.joined(separator: " and ")) in "
      + CountText.text(profile.processes.count, "process", "processes")
    let losses = profile.losses
    if !profile.builds.isEmpty {
      text += ", \(CountText.text(profile.builds.count, "binary", "binaries"))"
    } else if losses.isEmpty {
      text += ", no functions (use --no-rebuild, or build with firstlight flags)"
    }
    text += " -> \(path)"
    if !losses.isEmpty { text += " (losses: \(LossText.text(losses)))" }
    return text
  }

  /// The cost of attaching for the program.
  ///
  /// - Parameters:
  ///   - stops: how often a watched function stopped its thread.
  ///   - seconds: for how long it was stopped in all.
  ///   - longest: the longest time for which the recorder held it or a processor, seconds.
  package static func cost(stops: UInt64, seconds: Double, longest: Double) -> String {
    "cost: \(CountText.text(Int(clamping: stops), "stop")), \(shown(seconds)) of the program's time; "
      + "the longest: \(shown(longest))"
  }

  private static func shown(_ seconds: Double) -> String {
    seconds < 0.001 ? "under 1 ms" : TimeText.text(seconds)
  }

  /// The command to run next.
  ///
  /// - Parameter isStartup: whether the recording ended with the start-up.
  package static func next(of profile: Profile, path: String, isStartup: Bool) -> String {
    let file = Escaping.shellWord(path)
    guard !profile.builds.isEmpty || profile.losses.isEmpty else {
      return "next: firstlight info \(file)"
    }
    // Without names, functions can be neither ordered nor listed.
    guard profile.builds.contains(where: { $0.build.hasSymbols }) else {
      return "next: firstlight timeline \(file)"
    }
    let isTraced = profile.builds.allSatisfy { $0.build.recorder == .breakpoints }
    return "next: firstlight \(isTraced && isStartup ? "order" : "dead") \(file)"
  }

  /// Functions, or guards of a binary without a function table.
  private static func counts(_ recorded: RecordedBuild) -> (called: Int, all: Int) {
    let functions = recorded.build.guarded
    guard !functions.isEmpty else {
      return (recorded.coverage.count { $0.isCalled }, recorded.build.guardCount)
    }
    return (functions.indices.count { recorded.isCalled(function: $0) }, functions.count)
  }
}
