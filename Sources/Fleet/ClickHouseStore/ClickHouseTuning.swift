import FleetModel
import Foundation

/// The delays of the store, and its clock; tests use others.
package struct ClickHouseTuning: Sendable {
  /// Seconds from the note that a day is closed until it is added up, by the servers' clocks. Rows that were
  /// accepted before arrive within this time.
  package var closingDelay = 600
  /// How long the last answer of a server about itself is used, and how long a silent one is not asked.
  package var lookAge = Duration.seconds(2)
  package var silence = Duration.seconds(10)
  /// Seconds by which a replica may be behind the others before answers say so.
  package var shownDelay = 10
  /// Seconds since 1970.
  package var now: @Sendable () -> Double = { Date().timeIntervalSince1970 }

  package init() {}
}
