/// Which traces a store keeps in full: for each program those of the smallest `family`, whole families,
/// in rising order up to the first that does not fit any more; the very first whatever its size.
///
/// The families' hashes are as good as random, so this is a random sample of all runs; and it is the
/// same whatever order the traces came in, as with `Profile.keepTraces`: more traces only lower the limit,
/// so no store has refused one that the sample of all has room for.
package enum TraceSampleRule {
  /// How many traces are kept for each program.
  package static let size = 100

  /// The largest family that there may be room for, or nil as long as there is room for any. While there is
  /// room left, that is any below the first that does not fit: others may still come between.
  /// - Parameter families: how many traces each family has, sorted by family.
  package static func last(
    of families: [(family: UInt64, traces: Int)], size: Int = Self.size
  ) -> UInt64? {
    var count = 0
    var last: UInt64?
    for (family, traces) in families {
      if count >= size { return last }
      count += traces
      if count > size, last != nil { return family - 1 }
      last = family
    }
    return count >= size ? last : nil
  }
}
