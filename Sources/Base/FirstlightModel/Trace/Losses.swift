/// Known losses of a trace.
package struct Losses: Hashable, Sendable, Encodable {
  /// First calls the runtime counted but could not record.
  package var drops: Int
  /// Reserved slots that were never filled: the process died within the hook.
  package var uncommitted: Int
  /// Images that could not be recorded at all (no space, or no file descriptor).
  package var lostImages: Int
  /// Segment files of this process that could not be read.
  package var unreadableSegments: Int
  /// Forked processes that ran unrecorded because their memory was inaccessible.
  package var unrecordedProcesses: Int
  /// Number of processes, this one and its forks, that were still running when the recording ended.
  package var runningProcesses: Int

  package init(
    drops: Int = 0, uncommitted: Int = 0, lostImages: Int = 0, unreadableSegments: Int = 0,
    unrecordedProcesses: Int = 0, runningProcesses: Int = 0
  ) {
    self.drops = drops
    self.uncommitted = uncommitted
    self.lostImages = lostImages
    self.unreadableSegments = unreadableSegments
    self.unrecordedProcesses = unrecordedProcesses
    self.runningProcesses = runningProcesses
  }

  package var isEmpty: Bool { self == Losses() }

  package static func + (a: Losses, b: Losses) -> Losses {
    Losses(
      drops: a.drops.addingClamped(b.drops),
      uncommitted: a.uncommitted.addingClamped(b.uncommitted),
      lostImages: a.lostImages.addingClamped(b.lostImages),
      unreadableSegments: a.unreadableSegments.addingClamped(b.unreadableSegments),
      unrecordedProcesses: a.unrecordedProcesses.addingClamped(b.unrecordedProcesses),
      runningProcesses: a.runningProcesses.addingClamped(b.runningProcesses))
  }
}
