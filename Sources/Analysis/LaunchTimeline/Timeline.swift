import FirstlightModel

/// What one recorded run did, on one clock: nanoseconds since its first process started.
///
/// Only what was recorded is in it. A first call whose return nobody waited for is a moment, and what
/// cannot be nested is marked so (`TimelineSpan.Ending`).
public struct Timeline: Sendable {
  public var run: Run
  /// By start.
  public var processes: [TimelineProcess]
  /// By process; within one, the main thread first, the others by what they did first.
  public var threads: [TimelineThread]
  /// Each function that was called, once; by name and image it is the same in other timelines.
  public var functions: [TimelineFunction]
  /// First calls and initializers: by thread, each after its parent and after what began earlier.
  public var spans: [TimelineSpan]
  /// What the programs said of themselves, by process and time.
  public var marks: [TimelineMark]

  /// When the last thing was seen.
  public var end: UInt64 { processes.map(\.end).max() ?? 0 }

  /// Whether any first call has a duration.
  public var hasReturns: Bool { processes.contains { $0.hasReturns } }

  /// The spans of one thread.
  public func spans(of thread: Int) -> ArraySlice<TimelineSpan> { spans[threads[thread].spans] }
}

/// One process of a timeline. Times are on the timeline's clock.
public struct TimelineProcess: Sendable {
  public var pid: UInt32
  public var parentPID: UInt32
  public var path: String
  public var arguments: [String]
  public var start: UInt64
  /// When the last thing of it was seen.
  public var end: UInt64
  public var ready: UInt64?
  /// In order; empty where the recorder did not watch the start-up.
  public var stages: [LaunchStage]
  /// Number of first calls.
  public var callCount: Int
  /// Whether the recorder waited for returns.
  public var hasReturns: Bool
  /// Spans that ended later than their parents and were cut, by more than rounding explains.
  public var cutSpans: Int
  public var losses: Losses
  /// What the recorder has done to times; nil: nothing is known of it.
  public var correction: TimeCorrection?

  /// The last part of the path.
  public var name: String { BaseName.of(path) }
}

/// One thread of a timeline: a row.
public struct TimelineThread: Sendable {
  /// Index into the timeline's processes.
  public var process: Int
  /// Kernel thread id.
  public var id: UInt32
  /// Its spans, among those of the timeline.
  public var spans: Range<Int>
  public var isMain: Bool

  public var name: String { isMain ? "main thread" : "thread \(id)" }
}

/// A function of a timeline.
public struct TimelineFunction: Hashable, Sendable {
  /// For people.
  public var name: String
  /// Empty if the image has no symbol there.
  public var linkerName: String
  /// File name of its image.
  public var image: String
  /// Swift module, or the image's file name.
  public var module: String
  /// Where it is declared; nil without debug information.
  public var file: String?
  /// Line of the declaration; 0 if unknown.
  public var line: Int
}

/// What a program said of itself.
public struct TimelineMark: Hashable, Sendable {
  public var name: String
  /// Index into the timeline's threads.
  public var thread: Int
  public var start: UInt64
  public var kind: ProgramMark.Kind
}
