import FirstlightModel

/// One process of a timeline. Times are on the timeline's clock.
package struct TimelineProcess: Sendable, Encodable {
  package var pid: UInt32
  package var parentPID: UInt32
  package var path: String
  package var arguments: [String]
  package var start: UInt64
  /// Time of the process's last event.
  package var end: UInt64
  package var ready: UInt64?
  /// In order; empty if the recorder did not watch the start-up.
  package var stages: [LaunchStage]
  /// Number of first calls.
  package var callCount: Int
  /// Whether the recorder waited for returns.
  package var hasReturns: Bool
  /// Number of spans that ended later than their parents and were cut, beyond rounding.
  package var cutSpans: Int
  package var losses: Losses
  /// The factor that scaled the times of the longest stage to starts with few stops; nil if none did.
  package var scale: Double?

  enum CodingKeys: String, CodingKey {
    case pid, parentPID, path, arguments, start, end, ready, stages, hasReturns, scale
    case callCount = "firstCalls"
  }

  /// The last part of the path.
  package var name: String { BaseName.of(path) }
}
