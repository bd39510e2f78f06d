import FirstlightModel
import SystemSupport

/// The losses of a recording, in words.
package enum LossText {
  package static func text(_ losses: Losses) -> String {
    if losses.isEmpty { return "none" }
    var parts: [String] = []
    if losses.drops > 0 { parts.append(CountText.text(losses.drops, "dropped first call")) }
    if losses.uncommitted > 0 {
      parts.append(
        CountText.text(losses.uncommitted, "first call") + " cut off by the process's end")
    }
    if losses.lostImages > 0 {
      parts.append(CountText.text(losses.lostImages, "unrecorded binary", "unrecorded binaries"))
    }
    if losses.unreadableSegments > 0 {
      parts.append(CountText.text(losses.unreadableSegments, "unreadable segment"))
    }
    if losses.unrecordedProcesses > 0 {
      parts.append(
        CountText.text(losses.unrecordedProcesses, "unrecorded process", "unrecorded processes"))
    }
    if losses.runningProcesses > 0 {
      parts.append(
        CountText.text(losses.runningProcesses, "process", "processes") + " still running")
    }
    return parts.joined(separator: ", ")
  }
}
