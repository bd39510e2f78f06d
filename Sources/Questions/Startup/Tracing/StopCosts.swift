import FirstlightModel

/// What stops cost a thread beyond the time in which the tracer holds it: cold caches, switches, copied pages.
///
/// Starts in detail have many more stops than those for the stages, and their stages are longer for that reason alone.
/// So the difference of a stage's lengths, divided by that of its stops, is the cost of one of its stops. Stops of
/// other threads count, because the main thread waits for them. Nothing is taken off below an untraced start. Both kinds
/// stop once at exec: by how much the stages then still exceed untraced starts is the cost of that stop, on both sides
/// of it.
struct StopCosts {
  /// Nanoseconds of one stop, by stage.
  private let costs: [LaunchStage.Kind: Double]
  /// The share of the stages before and after the exec's stop that this stop costs.
  private let execShare: Double

  /// A stage of several starts: its medians.
  private struct Stage {
    var length: Double
    var stops: Double
  }

  /// Nothing is known.
  init() { (costs, execShare) = ([:], 0) }

  /// - Parameters:
  ///   - few: starts with few stops.
  ///   - many: starts in detail.
  ///   - untraced: nanoseconds of a start without stops; nil: unknown.
  ///   - isTooNoisy: whether the exec's share cannot be told from chance.
  init(few: [LaunchEvents], many: [LaunchEvents], untraced: Double?, isTooNoisy: Bool = false) {
    let (stages, other) = (Self.stages(few), Self.stages(many))
    var costs = stages.reduce(into: [LaunchStage.Kind: Double]()) { costs, stage in
      guard let many = other[stage.key], many.stops > stage.value.stops else { return }
      costs[stage.key] =
        max(0, many.length - stage.value.length) / (many.stops - stage.value.stops)
    }
    if let untraced {
      let cost = stages.reduce(0) { $0 + (costs[$1.key] ?? 0) * $1.value.stops }
      let excess = max(0, stages.reduce(-untraced) { $0 + $1.value.length })
      if cost > excess { costs = costs.mapValues { $0 * excess / cost } }
    }
    self.costs = costs
    let lengths = stages.map { kind, stage in
      (kind: kind, length: max(0, stage.length - (costs[kind] ?? 0) * stage.stops))
    }
    let sides = few.first.map(Self.aroundExec) ?? []
    let around = lengths.reduce(0) { $0 + (sides.contains($1.kind) ? $1.length : 0) }
    let rest = untraced.map { untraced in lengths.reduce(-untraced) { $0 + $1.length } } ?? 0
    execShare = around > 0 && !isTooNoisy ? min(1, max(0, rest / around)) : 0
  }

  /// The stages before and after the exec's stop.
  private static func aroundExec(_ start: LaunchEvents) -> [LaunchStage.Kind] {
    Array(start.stageLengths.map(\.kind).prefix(2))
  }

  private static func stages(_ starts: [LaunchEvents]) -> [LaunchStage.Kind: Stage] {
    Dictionary(grouping: starts.flatMap(\.stageStops), by: \.kind).mapValues { stages in
      Stage(
        length: Sample(stages.map { Double($0.length) }).median,
        stops: Sample(stages.map { Double($0.stops) }).median)
    }
  }

  /// A start with shorter stages, and the nanoseconds that were taken off in all.
  func subtracted(from start: LaunchEvents) -> (LaunchEvents, tracing: UInt64) {
    var lengths: [LaunchStage.Kind: UInt64] = [:]
    var tracing: UInt64 = 0
    let sides = Self.aroundExec(start)
    for stage in start.stageStops {
      let length = Double(stage.length)
      let rest = max(0, length - (costs[stage.kind] ?? 0) * Double(stage.stops))
      let cost = UInt64(length - rest * (sides.contains(stage.kind) ? 1 - execShare : 1))
      lengths[stage.kind, default: 0] += stage.length - cost
      tracing += cost
    }
    return (start.scaled(to: lengths).0, tracing)
  }
}

extension LaunchEvents {
  /// Each stage with its length in nanoseconds and the stops of all threads in it, with that at its beginning.
  fileprivate var stageStops: [(kind: LaunchStage.Kind, length: UInt64, stops: Int)] {
    var before = 0
    return zip(stageLengths, stageEnds).map { stage, end in
      let count = clock.stops.partitioningIndex { $0.seen >= end.moment.time }
      defer { before = count }
      return (stage.kind, stage.length, count - before)
    }
  }
}
