import RunStatistics

/// Makes a start whose calls were traced last as long as untraced starts do.
///
/// The CPU time of all threads together gives the cost of stops, as it does not depend on who waited for
/// whom. The duration then gives the time until a processor took a ready thread: the latency that comes
/// nearest is taken. What is still missing or too much is spread evenly over the time since there was a
/// second thread. With one thread alone the duration gives the cost of stops.
package struct ClockFit: Sendable {
  package let setting: OverheadCompensatedClock.Setting
  /// Whether no setting within the bounds gives that duration.
  package let isCut: Bool

  /// Nanoseconds after which a ready thread was taken; processors that have to wake up take some tens of
  /// microseconds, schedulers that leave threads where they are up to some milliseconds.
  private static let latencies: [UInt64] =
    [0] + (0..<10).flatMap { (step: Int) -> [UInt64] in [10_000 << step, 15_000 << step] } + [.max]

  /// - Parameters:
  ///   - duration: nanoseconds of starts that were left alone.
  ///   - cpuTime: likewise, what all threads together ran; nil: not known.
  package init(_ events: LaunchEvents, duration: UInt64, cpuTime: UInt64?) {
    var setting = OverheadCompensatedClock.Setting()
    var isCut = false
    if events.clock.sharedSince != nil {
      if let cpuTime, events.ownCPUTime != nil {
        (setting.costScale, isCut) = Self.costScale {
          events.scaled(by: $0).ownCPUTime ?? 0 > cpuTime
        }
      }
      setting.latency = Self.latency(events, setting, duration)
      let events = events.set(setting)
      setting.stretch = Self.stretch(events, to: duration)
      let cut = min(
        max(setting.stretch, StopCostScale.range.lowerBound), StopCostScale.range.upperBound)
      isCut = isCut || cut != setting.stretch
      setting.stretch = cut
    } else {
      (setting.costScale, isCut) = Self.costScale { events.scaled(by: $0).duration > duration }
    }
    self.setting = setting
    self.isCut = isCut
  }

  /// The scale of costs at which something is no longer too much.
  private static func costScale(_ isTooMuch: (Double) -> Bool) -> (Double, isCut: Bool) {
    var (low, high) = (StopCostScale.range.lowerBound, StopCostScale.range.upperBound)
    if isTooMuch(high) { return (high, true) }
    if !isTooMuch(low) { return (low, true) }
    for _ in 0..<12 {
      let middle = (low + high) / 2
      if isTooMuch(middle) { low = middle } else { high = middle }
    }
    return ((low + high) / 2, false)
  }

  private static func latency(
    _ events: LaunchEvents, _ setting: OverheadCompensatedClock.Setting, _ duration: UInt64
  ) -> UInt64 {
    let distances = latencies.map { latency in
      var setting = setting
      setting.latency = latency
      let length = events.set(setting).duration
      return (latency, max(length, duration) - min(length, duration))
    }
    return distances.min { ($0.1, $0.0) < ($1.1, $1.0) }?.0 ?? 0
  }

  private static func stretch(_ events: LaunchEvents, to duration: UInt64) -> Double {
    let (alone, shared) = events.parts
    guard shared > 0, duration > alone else { return 1 }
    return Double(duration - alone) / Double(shared)
  }
}
