import FirstlightModel

/// One recorded run on one clock: nanoseconds since its first process started.
///
/// It contains only recorded data. A first call has no duration if the recorder did not wait for
/// its return. Spans that cannot be nested are marked (`TimelineSpan.Ending`).
package struct Timeline: Sendable {
  package var run: Run
  /// Processes by start time.
  package var processes: [TimelineProcess]
  /// Threads by process; within one, the main thread first, the others by their first event.
  package var threads: [TimelineThread]
  /// The called functions, without duplicates; name and image identify a function across timelines.
  package var functions: [TimelineFunction]
  /// First calls and initializers: by thread, each after its parent and after earlier ones.
  package var spans: [TimelineSpan]
  /// Marks and spans from the programs, by process and time.
  package var marks: [TimelineMark]

  /// Time of the last event.
  package var end: UInt64 { processes.map(\.end).max() ?? 0 }

  /// Whether any first call has a duration.
  package var hasReturns: Bool { processes.contains { $0.hasReturns } }

  /// The spans of one thread.
  package func spans(of thread: Int) -> ArraySlice<TimelineSpan> { spans[threads[thread].spans] }
}

/// One thread of a timeline: a row.
package struct TimelineThread: Sendable, Encodable {
  /// Index into the timeline's processes.
  package var process: Int
  /// Kernel thread id.
  package var id: UInt32
  /// Range of its spans in the timeline.
  package var spans: Range<Int>
  package var isMain: Bool

  enum CodingKeys: CodingKey { case process, id, isMain }

  package var name: String { isMain ? "main thread" : "thread \(id)" }
}

/// A function of a timeline.
package struct TimelineFunction: Hashable, Sendable, Encodable {
  /// The readable name.
  package var name: String
  /// The same without module and types, for tables and pictures.
  package var shortName: String
  /// Empty if the image has no symbol for it.
  package var linkerName: String
  /// File name of the image.
  package var image: String
  /// The Swift module, or the image's file name.
  package var module: String
  /// File of the declaration; nil without debug information.
  package var file: String?
  /// Line of the declaration; 0 if unknown.
  package var line: Int
}

/// A mark or span from a program.
package struct TimelineMark: Hashable, Sendable {
  package var name: String
  /// Index into the timeline's threads.
  package var thread: Int
  package var start: UInt64
  package var kind: ProgramMark.Kind
}

/// A period of a thread without a first call: in a recording without returns, the only sign of
/// where time passes.
package struct IdleGap: Hashable, Sendable {
  /// Index, among the timeline's spans, of the preceding first call.
  package var after: Int
  /// Index of the first call that ended the gap; nil if none followed.
  package var before: Int?
  package var duration: UInt64
}

extension Timeline {
  /// The longest periods without a first call, longest first.
  package func quietTimes(of process: Int) -> [IdleGap] {
    var found: [IdleGap] = []
    for thread in threads where thread.process == process {
      for index in thread.spans {
        let next = index + 1 < thread.spans.upperBound ? index + 1 : nil
        // The end of a thread is unknown, except for the main one.
        guard next != nil || thread.isMain else { continue }
        let until = next.map { spans[$0].start } ?? processes[process].end
        let duration = until - min(until, spans[index].start)
        if duration > 0 { found.append(IdleGap(after: index, before: next, duration: duration)) }
      }
    }
    return found.sorted { ($1.duration, $0.after) < ($0.duration, $1.after) }
  }
}

extension Profile {
  /// The profile of a single process and its run.
  ///
  /// - Parameter number: a process id of the profile, or else the process's position by start time,
  ///   counted from 1.
  /// - Throws: `Failure` of kind `data` if no process matches, or several have this process id.
  package func process(_ number: Int) throws(Failure) -> Profile {
    let sorted = processes.sorted { ($0.startedAt, $0.id) < ($1.startedAt, $1.id) }
    var chosen = sorted.filter { Int($0.pid) == number }
    if chosen.isEmpty, (1...max(1, sorted.count)).contains(number), !sorted.isEmpty {
      chosen = [sorted[number - 1]]
    }
    guard let process = chosen.first else {
      let pids = sorted.prefix(12).map { "\($0.pid)" }.joined(separator: ", ")
      throw Failure(
        .data, "the profile has no process \(number)",
        advice: "its processes are \(pids)\(sorted.count > 12 ? ", ..." : "")")
    }
    guard chosen.count == 1 else {
      let places = sorted.indices.filter { sorted[$0].pid == process.pid }.map { "\($0 + 1)" }
      throw Failure(
        .data, "\(chosen.count) processes of the profile have the id \(number)",
        advice: "choose one by its number: \(places.joined(separator: ", "))")
    }
    var result = self
    result.processes = [process]
    result.runs = runs.filter { $0.id == process.run }
    result.unlisted = UnlistedRuns()
    return result
  }
}
