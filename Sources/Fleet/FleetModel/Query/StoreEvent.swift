/// What happens inside a store into which several write, for those who watch it.
package enum StoreEvent: Hashable, Sendable {
  /// How many batches wait until those before them are written.
  case waiting(batches: Int)
  /// Batches were written as one, or could not be, after some seconds.
  case attempt(seconds: Double)
  /// Another writer was first, so an attempt had to be committed again.
  case conflict
  /// Sums were added up, after some seconds.
  case compaction(seconds: Double)
}
