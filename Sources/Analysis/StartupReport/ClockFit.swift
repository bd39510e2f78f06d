import FirstlightModel

/// Makes the stages of a start with many stops as long as those of starts with few.
///
/// The CPU time of all threads gives the cost of a stop, because it does not depend on which thread waited. A
/// stop costs no more than the short intervals between stops take. The remaining difference is spread evenly,
/// and waits of the main thread fill the rest of its stage.
package struct ClockFit: Sendable {
  /// The effect of stops on one stage.
  package struct Part: Hashable, Sendable {
    /// CLOCK_MONOTONIC, nanoseconds.
    package var end: UInt64
    /// Nanoseconds, as measured.
    var length = 0.0
    /// The same in the start with many stops, less the cost of stops.
    var traced = 0.0
    /// CPU time of one stop at a breakpoint, and at a system call, nanoseconds.
    package var stopCost = 0.0
    package var systemCallCost = 0.0
    /// Number of stops, and the difference between the stage's CPU time and the measured one.
    var stops = 0
    var excess = 0.0
    /// Factors for CPU time and for waiting time.
    package var running = 1.0
    package var waiting = 1.0
    /// A factor for both, applied afterwards.
    package var stretch = 1.0

    func cost(_ stop: OverheadCompensatedClock.Stop) -> Double {
      stop.isSystemCall ? systemCallCost : stopCost
    }
  }

  /// The duration of one stage in starts with few stops, nanoseconds.
  package struct Measured: Hashable, Sendable {
    package var duration: Double
    /// CPU time of all threads.
    package var cpuTime: Double

    package init(duration: Double, cpuTime: Double) {
      self.duration = duration
      self.cpuTime = cpuTime
    }
  }

  /// The time of a thread between two stops, nanoseconds.
  struct Interval {
    var passed: Double
    var ran: Double
    /// Time in which the thread neither ran nor waited for a CPU.
    var off: Double
    var isWhole: Bool

    init(_ stop: OverheadCompensatedClock.Stop, since resumed: UInt64) {
      let elapsed = Double(stop.seen - min(stop.seen, resumed))
      ran = stop.share.map { Double($0.ran) } ?? elapsed
      let queued = Double(stop.share?.queued ?? 0)
      isWhole = stop.share?.isWhole ?? true
      // A thread that ran all the time has its CPU time, even if the tracer saw the stop late.
      passed = isWhole ? ran : elapsed
      off = isWhole ? 0 : max(0, elapsed - ran - queued)
    }
  }

  /// One for each stage, in order.
  package private(set) var parts: [Part] = []

  /// - Parameters:
  ///   - stages: the end of each stage in the start with many stops, and the duration to reach; nil: unknown.
  package init(
    _ clock: OverheadCompensatedClock, _ stages: [(end: UInt64, measured: Measured?)]
  ) {
    let intervals = Self.intervals(clock)
    let costs = [false, true].map { kind in
      Self.shortest(intervals.filter { $0.stop.isSystemCall == kind }.map(\.interval))
    }
    var next = 0
    for stage in stages {
      var part = Part(end: stage.end)
      part.stopCost = costs[0] ?? costs[1] ?? 0
      part.systemCallCost = costs[1] ?? costs[0] ?? 0
      let first = next
      while next < intervals.count, intervals[next].stop.seen <= stage.end { next += 1 }
      let last = clock.stops.last { $0.thread == clock.mainThread && $0.seen <= stage.end }
      let rest = stage.end - min(stage.end, last?.resumed ?? clock.requested)
      if let measured = stage.measured {
        part.fit(
          intervals[first..<next], to: measured, mainThread: clock.mainThread, rest: Double(rest))
      }
      parts.append(part)
    }
  }

  private static func intervals(
    _ clock: OverheadCompensatedClock
  ) -> [(stop: OverheadCompensatedClock.Stop, interval: Interval)] {
    var resumed: [UInt32: UInt64] = [clock.mainThread: clock.requested]
    return clock.stops.compactMap { stop in
      defer { resumed[stop.thread] = stop.resumed }
      return resumed[stop.thread].map { (stop, Interval(stop, since: $0)) }
    }
  }

  private static let fewest = 20

  /// CPU time of a stop: the shortest tenth of the intervals contain little else. nil: too few intervals.
  private static func shortest(_ intervals: [Interval]) -> Double? {
    let whole = intervals.filter(\.isWhole).map(\.ran).sorted()
    return whole.count < fewest ? nil : whole[whole.count / 10]
  }

  package var accuracy: TracingAccuracy {
    let longest = parts.max { $0.length < $1.length }
    let stops = parts.reduce(0) { $0 + $1.stops }
    let mean = parts.reduce(0) { $0 + $1.excess } / Double(max(1, stops))
    return TracingAccuracy(
      stopError: UInt64(max(longest?.stopCost ?? 0, mean)),
      scale: longest.map { $0.traced > 0 && $0.length > 0 ? $0.length / $0.traced : 1 } ?? 1)
  }
}

extension ClockFit.Part {
  /// - Parameter rest: nanoseconds of the main thread after its last stop. It may have run or waited.
  fileprivate mutating func fit(
    _ intervals: ArraySlice<(stop: OverheadCompensatedClock.Stop, interval: ClockFit.Interval)>,
    to measured: ClockFit.Measured, mainThread: UInt32, rest: Double
  ) {
    length = measured.duration
    var (all, left, main, off) = (0.0, 0.0, 0.0, rest)
    for (stop, interval) in intervals {
      let own = max(0, interval.ran - cost(stop))
      all += interval.ran
      left += own
      guard stop.thread == mainThread else { continue }
      main += own
      off += interval.off
    }
    traced = main + off
    stops = intervals.count
    excess = all - measured.cpuTime
    // Kernels without CONFIG_SCHED_INFO report 0.
    if left > 0, measured.cpuTime > 0 { running = min(1, measured.cpuTime / left) }
    if main * running > measured.duration, measured.duration > 0 {
      running = measured.duration / main
    }
    main *= running
    // A traced start waits longer than others, so waits may shrink but never grow.
    if off > 0 { waiting = min(1, (measured.duration - main) / off) }
    let whole = main + off * waiting
    if whole > 0, measured.duration > 0 { stretch = measured.duration / whole }
  }
}
