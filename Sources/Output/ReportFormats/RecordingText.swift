import FirstlightModel
import TextFormatting

/// The line that a recording ends with.
package enum RecordingText {
  package static func line(of profile: Profile, path: String) -> String {
    let calls = profile.processes.reduce(0) { $0 + $1.calls.count }
    let called = profile.builds.reduce(0) { sum, recorded in
      sum + recorded.coverage.count { $0.isCalled }
    }
    let guards = profile.builds.reduce(0) { $0 + $1.build.guardCount }
    let isWatched = profile.builds.allSatisfy { $0.build.recorder == .breakpoints }
    let what = isWatched ? "function" : "guard"
    var seen: [String] = []
    if !profile.builds.isEmpty { seen.append(CountText.text(calls, "first call")) }
    let marks = profile.processes.reduce(0) { $0 + $1.marks.count }
    if marks > 0 { seen.append(CountText.text(marks, "mark")) }
    var text =
      "recorded \(seen.isEmpty ? "nothing" : seen.joined(separator: " and ")) in "
      + "\(CountText.text(profile.processes.count, "process", "processes")), "
    text +=
      profile.builds.isEmpty
      ? "without guards (--no-rebuild needs none), to \(path)"
      : "\(CountText.number(called)) of \(CountText.text(guards, what)) in "
        + "\(CountText.text(profile.builds.count, "image")) seen, to \(path)"
    let losses = profile.losses
    if !losses.isEmpty { text += " (losses: \(LossText.text(losses)))" }
    return text
  }
}
