import FirstlightModel
import RunStatistics

/// Subtracts the cost of the stops that mark stages. Time in which the program stood still is not part of it.
///
/// Each stop leaves the program's caches cold, which matters for a program of two milliseconds. The difference
/// to untraced starts is the cost of all stops. Each stretch between stops gets the same share, but never more
/// than most of the CPU time of its stage. A difference within its own uncertainty is not subtracted.
package struct StageOverhead: Sendable {
  /// Cost in nanoseconds of each stretch between stops.
  package let cost: Double
  /// Nanoseconds of each start, corrected by the cost that all other starts show.
  package let checked: [Double]

  /// The largest share of a stage's CPU time that its stops may take.
  private static let most = 0.75

  /// - Parameters:
  ///   - starts: starts with traced stages.
  ///   - plain: nanoseconds of untraced starts.
  package init(_ starts: [LaunchEvents], plain: [UInt64]) {
    let stretches = starts.map(\.stretches)
    let untraced = Sample(plain.map { Double($0) })
    func cost(without left: Int?) -> Double {
      guard starts.count > 2, untraced.count > 0 else { return 0 }
      let others = starts.indices.filter { $0 != left }
      let traced = Sample(others.map { Double(starts[$0].duration) })
      let excess = traced.median - untraced.median
      guard excess > Self.uncertainty(traced) + Self.uncertainty(untraced) else { return 0 }
      let stages = stretches[others[0]].indices.map { place in
        let same = others.compactMap {
          place < stretches[$0].count ? stretches[$0][place] : nil
        }
        return LaunchEvents.Stretches(
          count: same[0].count, duration: Sample(same.map(\.duration)).median,
          cpuTime: Sample(same.map(\.cpuTime)).median)
      }
      return Self.cost(of: stages, together: excess)
    }
    self.cost = cost(without: nil)
    checked = starts.indices.map { place in
      let cost = cost(without: place)
      return stretches[place].reduce(0) { $0 + $1.duration - Self.part(of: $1, cost) }
    }
  }

  /// The usual error of a median.
  private static func uncertainty(_ sample: Sample) -> Double {
    (sample.quantile(0.75) - sample.quantile(0.25)) / Double(sample.count).squareRoot()
  }

  /// A stage without its stops.
  func measured(_ stage: LaunchEvents.Stretches) -> ClockFit.Measured {
    let part = Self.part(of: stage, cost)
    return ClockFit.Measured(
      duration: stage.duration - part, cpuTime: max(0, stage.cpuTime - part))
  }

  private static func part(of stage: LaunchEvents.Stretches, _ cost: Double) -> Double {
    // Kernels without CONFIG_SCHED_INFO report 0.
    let limit = stage.cpuTime > 0 ? min(stage.duration, stage.cpuTime) : stage.duration
    return min(cost * Double(stage.count), limit * most)
  }

  /// The cost of a stretch that shortens all stages together by `excess`.
  private static func cost(of stages: [LaunchEvents.Stretches], together excess: Double) -> Double {
    var (low, high) = (0.0, excess)
    for _ in 0..<40 {
      let middle = (low + high) / 2
      let whole = stages.reduce(0) { $0 + part(of: $1, middle) }
      if whole < excess { low = middle } else { high = middle }
    }
    return high
  }
}

extension LaunchEvents {
  /// Stretches of the main thread in a stage, each ending at a stop or with the stage; the stage's nanoseconds.
  struct Stretches {
    var count: Int
    var duration: Double
    /// CPU time of all threads; 0: unknown.
    var cpuTime: Double
  }

  /// One for each stage.
  var stretches: [Stretches] {
    let seen = clock.stops.filter { $0.thread == mainThread }.map(\.seen)
    var (time, ran, before): (UInt64, UInt64, UInt64) = (0, 0, 0)
    return stageEnds.map { stage in
      let now = max(time, since(stage.moment.time, thread: stage.thread))
      let stops = seen.filter { $0 > before && $0 <= stage.moment.time }
      let rest = stops.last == stage.moment.time ? 0 : 1
      let counted = clock.cpuTime(stage.moment.time, thread: mainThread) ?? 0
      let told = stage.moment == end ? cpuTime : stage.moment == asked ? askedCPUTime : nil
      let nowRan = max(ran, told ?? counted)
      defer { (time, ran, before) = (now, nowRan, stage.moment.time) }
      return Stretches(
        count: stops.count + rest, duration: Double(now - time), cpuTime: Double(nowRan - ran))
    }
  }
}
