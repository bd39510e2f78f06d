import FirstlightModel

/// A first call, or the execution of an initializer.
package struct TimelineSpan: Hashable, Sendable {
  /// Index into the timeline's functions.
  package var function: Int
  /// Index into the timeline's threads.
  package var thread: Int
  /// Index of the enclosing span in the timeline; -1 if none.
  package var parent: Int
  /// Number of enclosing spans.
  package var depth: Int
  package var start: UInt64
  package var duration: Duration
  /// Nanoseconds in the function itself and in code without a span of its own: functions called
  /// before, and functions that the recorder does not watch.
  package var selfTime: UInt64
  /// Whether a part of `selfTime` may belong to a nested span whose duration is unknown.
  package var isSelfTimeAtMost = false
  package var ending: Ending
  package var isInitializer: Bool
  /// False for an initializer whose call was not recorded.
  var isFirstCall: Bool
  package var minorFaults: UInt64
  package var majorFaults: UInt64

  /// Nanoseconds from entry to return.
  package enum Duration: Hashable, Sendable {
    /// Only the entry was seen.
    case unknown
    case exactly(UInt64)
    /// The call had not returned by then: it continued, or ended without return.
    case atLeast(UInt64)
  }

  /// The end of a call, which shows how reliable its duration is.
  package enum Ending: String, Hashable, Sendable, CaseIterable {
    /// The recorder did not wait for the return.
    case notSeen = "not seen"
    case returned = "returned"
    case tailCall = "tail call"
    case unwound = "unwound"
    case running = "still running"
    case asynchronous = "async"
    /// The recorder waited, but could not watch the return because other threads pass there.
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

    /// A remark beside the name; nil for calls with a normal end.
    package var remark: String? {
      switch self {
      case .notSeen, .returned: nil
      case .tailCall, .unwound, .running, .asynchronous, .unseen: rawValue
      }
    }
  }

  /// The known duration, or 0.
  package var length: UInt64 {
    switch duration {
    case .unknown: 0
    case .exactly(let length), .atLeast(let length): length
    }
  }

  package var end: UInt64 { start + length }

  package var isMoment: Bool { duration == .unknown }
}
