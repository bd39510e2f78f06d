import FirstlightModel
import FleetModel

/// The present state of a daemon.
package struct StatusDocument: Codable, Sendable {
  package struct Running: Codable, Sendable {
    package var pid: UInt32
    package var path: String
    package var startedAt: Double
    package var firstCalls: Int
    package var ready: Bool
  }
  package var version: String
  package var startedAt: Double
  package var spool: String?
  package var sink: String
  var sinkReachable: Bool
  var intakeProblem: String?
  /// Rows that wait for their receiver. The name comes from the traces that earlier versions sent.
  var outboxTraces: Int
  var outboxBytes: Int
  var outboxOldestSeconds: Double?
  package var counts: [TextBytes: Int]
  package var running: [Running]
  package var builds: Int?
  /// Uploaded rows, and sums of closed days.
  package var rows: Int?
  package var coverageRows: Int?
  package var sampledTraces: Int?
}
