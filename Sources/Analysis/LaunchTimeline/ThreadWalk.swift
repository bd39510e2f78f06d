import FirstlightModel

/// Walks along one thread and adds each period of time to the node of the innermost span, under its
/// stage.
struct ThreadWalk {
  private(set) var tree: StartupTree
  private let timeline: Timeline
  private let thread: Int
  /// Stages of the main thread; empty for others.
  private let stages: [LaunchStage]
  private let row: Int
  private var stage = 0
  private var now: UInt64
  private var open: [OpenSpan] = []
  /// Page faults of each span of the main thread without those of spans within it.
  private var faults: [(minor: UInt64, major: UInt64)] = []
  /// Page faults of the spans that began in each stage.
  private var spanFaults: [(minor: UInt64, major: UInt64)] = []

  /// A running span, with its node in the last stage that it was seen in.
  private struct OpenSpan {
    var span: Int
    var end: UInt64
    var node: Int
    var stage: Int
  }

  init(timeline: Timeline, thread: Int, tree: StartupTree) {
    self.timeline = timeline
    self.thread = thread
    self.tree = tree
    let process = timeline.threads[thread].process
    let isMain = timeline.threads[thread].isMain
    stages = isMain ? timeline.processes[process].stages : []
    let root = self.tree.node(.process(process), under: -1)
    row = isMain ? root : self.tree.node(.thread(thread), under: root)
    let first = timeline.spans(of: thread).first?.start ?? 0
    // Time before and between the spans of another thread may be waiting, since its start is unknown.
    now = isMain ? timeline.processes[process].start : first
    if isMain { faults = Self.ownFaults(of: timeline.spans(of: thread)) }
    spanFaults = stages.map { _ in (0, 0) }
  }

  /// The faults of each span without those of the spans within it.
  private static func ownFaults(
    of spans: ArraySlice<TimelineSpan>
  ) -> [(minor: UInt64, major: UInt64)] {
    var own = spans.map { (minor: $0.minorFaults, major: $0.majorFaults) }
    for span in spans where span.parent >= spans.startIndex {
      let caller = span.parent - spans.startIndex
      own[caller].minor -= min(own[caller].minor, span.minorFaults)
      own[caller].major -= min(own[caller].major, span.majorFaults)
    }
    return own
  }

  mutating func run() {
    for index in timeline.threads[thread].spans {
      let span = timeline.spans[index]
      close(until: span.start)
      advance(to: span.start)
      if span.isMoment { continue }
      open.append(OpenSpan(span: index, end: span.end, node: -1, stage: -1))
      let node = currentNode()
      tree.add(weight: 0, calls: 1, to: node)
      if timeline.threads[thread].isMain {
        let own = faults[index - timeline.threads[thread].spans.lowerBound]
        tree.add(minorFaults: own.minor, majorFaults: own.major, to: node)
        if let stage = open.last?.stage, stage >= 0 {
          spanFaults[stage].minor += own.minor
          spanFaults[stage].major += own.major
        }
      }
    }
    close(until: .max)
    if timeline.threads[thread].isMain {
      advance(to: timeline.processes[timeline.threads[thread].process].end)
    }
    addStageFaults()
  }

  /// Adds to each stage the faults that its spans do not account for. A span may go on into later
  /// stages, and then has faults of these.
  private mutating func addStageFaults() {
    var (minor, major): (UInt64, UInt64) = (0, 0)
    for (stage, own) in zip(stages, spanFaults) {
      minor += own.minor
      major += own.major
      let (spanMinor, spanMajor) = (min(minor, stage.minorFaults), min(major, stage.majorFaults))
      minor -= spanMinor
      major -= spanMajor
      guard stage.minorFaults > spanMinor || stage.majorFaults > spanMajor else { continue }
      tree.add(
        minorFaults: stage.minorFaults - spanMinor, majorFaults: stage.majorFaults - spanMajor,
        to: tree.node(.stage(stage.kind), under: row))
    }
  }

  private mutating func close(until time: UInt64) {
    while let top = open.last, top.end <= time {
      advance(to: top.end)
      open.removeLast()
    }
  }

  /// Adds time with the same open spans, across stage boundaries.
  private mutating func advance(to time: UInt64) {
    while now < time {
      leaveStages()
      var next = time
      if stage < stages.count {
        let bound = stages[stage].start > now ? stages[stage].start : stages[stage].end
        next = min(time, bound)
      }
      // Time of other threads without a span may be waiting as well.
      if !open.isEmpty || timeline.threads[thread].isMain {
        let node = currentNode()
        tree.add(weight: next - now, to: node)
      }
      now = next
    }
  }

  private mutating func leaveStages() {
    while stage < stages.count, stages[stage].end <= now { stage += 1 }
  }

  private mutating func currentNode() -> Int {
    leaveStages()
    let isInStage = stage < stages.count && stages[stage].start <= now
    let place = isInStage ? stage : -2
    var under = isInStage ? tree.node(.stage(stages[stage].kind), under: row) : row
    guard let top = open.last else { return under }
    if top.stage == place { return top.node }
    // Finds the nearest span with a node in this stage, and creates nodes for those above it.
    var first = open.count
    while first > 0, open[first - 1].stage != place { first -= 1 }
    if first > 0 { under = open[first - 1].node }
    for index in first..<open.count {
      let span = timeline.spans[open[index].span]
      under = tree.node(.function(span.function, ending: span.ending), under: under)
      open[index].node = under
      open[index].stage = place
    }
    return under
  }
}

extension LaunchStage {
  var end: UInt64 { start + duration }
}
