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
  }

  mutating func run() {
    for index in timeline.threads[thread].spans {
      let span = timeline.spans[index]
      close(until: span.start)
      advance(to: span.start)
      if span.isMoment { continue }
      open.append(OpenSpan(span: index, end: span.end, node: -1, stage: -1))
      tree.add(weight: 0, calls: 1, to: currentNode())
    }
    close(until: .max)
    if timeline.threads[thread].isMain {
      advance(to: timeline.processes[timeline.threads[thread].process].end)
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
