import FirstlightModel

/// A first call, or the run of an initializer.
package struct TimelineSpan: Hashable, Sendable {
  /// Index into the timeline's functions.
  package var function: Int
  /// Index into the timeline's threads.
  package var thread: Int
  /// Index, among the timeline's spans, of the one it ran in; -1: none.
  package var parent: Int
  /// Number of spans it ran in.
  package var depth: Int
  package var start: UInt64
  package var duration: Duration
  /// Nanoseconds in the function itself and in all that has no span of its own: functions that had
  /// been called before, and functions that the recorder does not watch.
  package var selfTime: UInt64
  /// Whether some of `selfTime` may belong to a span in it whose duration is unknown.
  package var isSelfTimeAtMost = false
  /// Of `selfTime`, what was on a processor; nil: not known.
  package var selfCPUTime: UInt64?
  package var ending: Ending
  package var isInitializer: Bool
  package var minorFaults: UInt64
  package var majorFaults: UInt64

  /// Nanoseconds from entry to return.
  package enum Duration: Hashable, Sendable {
    /// Only the entry was seen.
    case unknown
    case exactly(UInt64)
    /// It had not returned by then: it ran on, or left in another way.
    case atLeast(UInt64)
  }

  /// How it ended, which shows how far its duration can be trusted.
  package enum Ending: String, Hashable, Sendable, CaseIterable {
    /// The recorder did not wait.
    case notSeen = "not seen"
    case returned = "returned"
    case tailCall = "tail call"
    case unwound = "unwound"
    case running = "still running"
    case asynchronous = "async"
    /// The recorder waited, and others that return there kept it from seeing.
    case unseen = "return not seen"

    init(_ ending: CallOutcome.Ending) {
      switch ending {
      case .returned: self = .returned
      case .tailCall: self = .tailCall
      case .unwound: self = .unwound
      case .running: self = .running
      case .asynchronous: self = .asynchronous
      case .unseen: self = .unseen
      }
    }

    /// A remark beside the name; nil for calls that ended as calls do.
    package var remark: String? {
      switch self {
      case .notSeen, .returned: nil
      case .tailCall, .unwound, .running, .asynchronous, .unseen: rawValue
      }
    }
  }

  /// What is known of the duration, 0 if nothing is.
  package var length: UInt64 {
    switch duration {
    case .unknown: 0
    case .exactly(let length), .atLeast(let length): length
    }
  }

  package var end: UInt64 { start + length }

  package var isMoment: Bool { duration == .unknown }
}
