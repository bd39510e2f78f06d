import FirstlightModel

/// The threads of a process: the main one first, the others by their first event.
struct ThreadRows {
  private var order: [UInt32] = []
  private var places: [UInt32: Int] = [:]

  init(process: RecordedProcess) {
    var first: [UInt32: UInt64] = [:]
    func note(_ thread: UInt32, _ time: UInt64) {
      first[thread] = min(first[thread] ?? .max, time)
    }
    for call in process.calls { note(call.thread, call.time) }
    for mark in process.marks { note(mark.thread, mark.time) }
    for run in process.launch?.initializers ?? [] { note(run.thread, run.start) }
    if process.launch?.stages.isEmpty == false { note(process.pid, 0) }
    order = first.sorted {
      ($0.key == process.pid ? 0 : 1, $0.value, $0.key)
        < ($1.key == process.pid ? 0 : 1, $1.value, $1.key)
    }.map(\.key)
    for (place, thread) in order.enumerated() { places[thread] = place }
  }

  func index(of thread: UInt32) -> Int? { places[thread] }

  /// The steps of each thread. Parents become indices within the thread; parents on other threads
  /// are dropped.
  func take(_ steps: [SpanStep]) -> [(thread: UInt32, steps: [SpanStep])] {
    var rows = order.map { (thread: $0, steps: [SpanStep]()) }
    var within: [Int] = []
    within.reserveCapacity(steps.count)
    for step in steps {
      guard let row = places[step.thread] else {
        within.append(-1)
        continue
      }
      var own = step
      own.parent =
        step.parent >= 0 && steps[step.parent].thread == step.thread ? within[step.parent] : -1
      within.append(rows[row].steps.count)
      rows[row].steps.append(own)
    }
    return rows
  }
}
