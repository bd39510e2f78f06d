import FirstlightModel

/// Puts one process's files together: a function from values to values.
struct TraceAssembly {
  /// Nil if there is nothing to make one of.
  let trace: Trace?
  /// What the files say against each other; nil if they agree.
  let problem: Failure?

  /// - Parameters:
  ///   - recorded: The process file, if it could be read.
  ///   - segments: In the order the process made them, each with its file's name.
  ///   - unreadableSegments: How many more there are.
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
      lostImages: recorded?.lostImages ?? 0, unreadableSegments: unreadableSegments)
    // Those of the first image stay as they are: most processes have few others.
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
    trace.marks = marks.map { mark in
      var mark = mark
      mark.time = mark.time > clockBase.monotonic ? mark.time - clockBase.monotonic : 0
      return mark
    }
    self.trace = trace
  }
}

/// A process that has files in a directory, as far as their names show.
package struct TraceEntry: Hashable, Sendable {
  /// Without its namespace, which names don't have.
  package var process: ProcessID
  /// The numbers of its segments, rising.
  package var segments: [UInt32]

  /// Whether it has a file of marks.
  package var hasMarks: Bool = false

  /// The process that a file of this name belongs to; nil for a name that no recorder writes.
  package static func process(ofFile name: String) -> ProcessID? { FileName(name)?.process }

  /// What all names of its files begin with.
  package var stem: String { process.description }

  package var processFile: String { FileName.name(of: process, .process) }

  /// The names of those that the process maps as long as it runs.
  package var mappedFiles: [String] {
    segments.map { FileName.name(of: process, .segment($0)) }
      + (hasMarks ? [FileName.name(of: process, .marks)] : []) + [processFile]
  }

  /// What the name of the empty file ends with that a process makes when it is ready. Such a file alone is
  /// no sign of a process.
  package static let readySuffix = ".ready"

  /// All names its files may have. The process file comes last: as long as any is there, it is.
  package var files: [String] {
    [stem + Self.readySuffix, FileName.name(of: process, .marks)]
      + segments.map { FileName.name(of: process, .segment($0)) } + [processFile]
  }
}
