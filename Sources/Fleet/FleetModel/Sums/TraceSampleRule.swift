/// Which traces a store keeps in full: for each program those of the smallest `family`, whole families,
/// in rising order up to the first that does not fit any more; the very first whatever its size.
///
/// The families' hashes are as good as random, so this is a random sample of all runs; and it is the
/// same whatever order the runs came in, as with `Profile.keepTraces`.
package enum TraceSampleRule {
  /// How many traces are kept for each program.
  package static let size = 100

  /// The largest family that is kept, or nil if all are.
  /// - Parameter families: how many traces each family has, sorted by family.
  package static func last(
    of families: [(family: UInt64, traces: Int)], size: Int = Self.size
  ) -> UInt64? {
    var count = 0
    for (place, entry) in families.enumerated() {
      count += entry.traces
      if count > size, place > 0 { return families[place - 1].family }
    }
    return families.count > 0 && count >= size ? families.last?.family : nil
  }
}
