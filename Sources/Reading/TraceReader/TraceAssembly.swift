import FirstlightModel

/// Combines one process's files into a trace, as a pure function.
struct TraceAssembly {
  /// Nil if there is no data for a trace.
  let trace: Trace?
  /// Contradictions between the files; nil if they agree.
  let problem: Failure?

  /// - Parameters:
  ///   - recorded: The process file, if it could be read.
  ///   - segments: In their order of creation, each with its file's name.
  ///   - unreadableSegments: Number of further segments, those that are missing included.
  ///   - marks: By time, which is CLOCK_MONOTONIC, nanoseconds.
  init(
    recorded: ProcessPage?, segments: [(segment: Segment, name: String)],
    unreadableSegments: Int, marks: [ProgramMark] = []
  ) {
    let clocks = [recorded?.clockBase].compactMap { $0 } + segments.map(\.segment.clockBase)
    guard let process = recorded?.process ?? segments.first?.segment.process,
      let clockBase = clocks.min(by: { $0.monotonic < $1.monotonic })
    else {
      trace = nil
      problem = nil
      return
    }
    var losses = Losses(
      lostImages: recorded?.lostImages ?? 0, unreadableSegments: unreadableSegments,
      // The process file counts what the process could not record; if it is missing, one process is lost.
      unrecordedProcesses: recorded.map(\.unrecordedProcesses) ?? 1,
      runningProcesses: recorded?.runningProcesses ?? 0)
    // The first image's calls are used without a copy: most processes have few others.
    var firstCalls = segments.first?.segment.firstCalls ?? []
    if segments.count > 1 {
      firstCalls.reserveCapacity(segments.reduce(0) { $0 + $1.segment.firstCalls.count })
    }
    for (index, entry) in segments.enumerated() {
      losses.drops += entry.segment.image.drops
      losses.uncommitted += entry.segment.uncommitted + entry.segment.damaged
      if index == 0 { continue }
      let start = firstCalls.count
      firstCalls += entry.segment.firstCalls
      for call in start..<firstCalls.count { firstCalls[call].image = Int32(index) }
    }
    // A watcher may learn of two threads' calls in either order.
    if recorded?.watch != nil { firstCalls.renumberByTime() }
    let repeats = firstCalls.sortBySequence()
    problem = repeats.map { repeats in
      Failure(
        .data,
        "\(segments[Int(repeats.first.image)].name): sequence \(repeats.first.sequence) of guard \(repeats.first.guardIndex + 1) occurs twice in process \(process.pid); \(repeats.count) first calls of such sequences are in order of time"
      )
    }
    var trace = Trace(
      process: process, parentPID: recorded?.parentPID ?? 0, forkedFrom: recorded?.forkedFrom,
      path: recorded?.path ?? "", arguments: recorded?.arguments ?? [], clockBase: clockBase,
      ready: recorded?.ready, images: segments.map(\.segment.image), firstCalls: firstCalls,
      losses: losses)
    trace.watch = recorded?.watch
    trace.marks = marks.map { mark in
      var mark = mark
      mark.time = mark.time > clockBase.monotonic ? mark.time - clockBase.monotonic : 0
      return mark
    }
    self.trace = trace
  }
}
