import FleetModel
import Foundation

/// The numbers that the commit protocol goes by, and its clock. Any values of them are safe; tests take
/// small ones, and clocks that are wrong.
package struct ClickHouseTuning: Sendable {
  /// How many tags of a level are added up to one of the next.
  package var fan = 16
  /// How many slots are there at most before the older half is dropped.
  package var keptSlots: UInt64 = 64
  /// How many of the last commits are kept whatever became of them.
  package var keptCommits: UInt64 = 1000
  /// What batches that are written together weigh at most, bytes; see `BatchWeight`.
  package var groupWeight = CheckedBatch.partWeight
  /// How long rows that were replaced stay for readers with an old log, with replicas. ZooKeeper cuts
  /// a server off that is longer behind: `syncLimit` times `tickTime`.
  package var keptReplaced = Duration.seconds(60)
  /// Seconds since 1970.
  package var now: @Sendable () -> Double = { Date().timeIntervalSince1970 }

  package init() {}
}
