import FirstlightModel

/// What one recorded run did, on one clock: nanoseconds since its first process started.
///
/// Only what was recorded is in it. A first call whose return the recorder did not wait for has no duration.
/// Spans that cannot be nested are marked (`TimelineSpan.Ending`).
package struct Timeline: Sendable {
  package var run: Run
  /// By start.
  package var processes: [TimelineProcess]
  /// By process; within one, the main thread first, the others by what they did first.
  package var threads: [TimelineThread]
  /// Each function that was called, once; by name and image it is the same in other timelines.
  package var functions: [TimelineFunction]
  /// First calls and initializers: by thread, each after its parent and after what began earlier.
  package var spans: [TimelineSpan]
  /// Marks and spans that the programs set, by process and time.
  package var marks: [TimelineMark]

  /// When the last thing was seen.
  package var end: UInt64 { processes.map(\.end).max() ?? 0 }

  /// Whether any first call has a duration.
  package var hasReturns: Bool { processes.contains { $0.hasReturns } }

  /// The spans of one thread.
  package func spans(of thread: Int) -> ArraySlice<TimelineSpan> { spans[threads[thread].spans] }
}

/// One process of a timeline. Times are on the timeline's clock.
package struct TimelineProcess: Sendable, Encodable {
  package var pid: UInt32
  package var parentPID: UInt32
  package var path: String
  package var arguments: [String]
  package var start: UInt64
  /// When the last thing of it was seen.
  package var end: UInt64
  package var ready: UInt64?
  /// In order; empty where the recorder did not watch the start-up.
  package var stages: [LaunchStage]
  /// Number of first calls.
  package var callCount: Int
  /// Whether the recorder waited for returns.
  package var hasReturns: Bool
  /// Spans that ended later than their parents and were cut, by more than rounding explains.
  package var cutSpans: Int
  package var losses: Losses
  /// What the recorder has done to times; nil: nothing is known of it.
  package var correction: TimeCorrection?

  enum CodingKeys: String, CodingKey {
    case pid, parentPID, path, arguments, start, end, ready, stages, hasReturns, correction
    case callCount = "firstCalls"
  }

  /// The last part of the path.
  package var name: String { BaseName.of(path) }
}

/// One thread of a timeline: a row.
package struct TimelineThread: Sendable, Encodable {
  /// Index into the timeline's processes.
  package var process: Int
  /// Kernel thread id.
  package var id: UInt32
  /// Its spans, among those of the timeline.
  package var spans: Range<Int>
  package var isMain: Bool

  enum CodingKeys: CodingKey { case process, id, isMain }

  package var name: String { isMain ? "main thread" : "thread \(id)" }
}

/// A function of a timeline.
package struct TimelineFunction: Hashable, Sendable, Encodable {
  /// For people.
  package var name: String
  /// Empty if the image has no symbol there.
  package var linkerName: String
  /// File name of its image.
  package var image: String
  /// Swift module, or the image's file name.
  package var module: String
  /// Where it is declared; nil without debug information.
  package var file: String?
  /// Line of the declaration; 0 if unknown.
  package var line: Int
}

/// A mark or span that a program set.
package struct TimelineMark: Hashable, Sendable {
  package var name: String
  /// Index into the timeline's threads.
  package var thread: Int
  package var start: UInt64
  package var kind: ProgramMark.Kind
}
