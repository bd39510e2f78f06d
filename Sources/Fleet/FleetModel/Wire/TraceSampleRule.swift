import FirstlightModel

/// Decides which traces a store keeps in full: for each program, whole families with the smallest
/// `family`, in rising order up to the first that exceeds the size. Of a very first family that exceeds it, the
/// traces with the smallest ids are kept.
///
/// The families' hashes are nearly random, so this is a random sample of all runs. It does not
/// depend on the order of arrival, as with `Profile.keepTraces`: more traces only lower the limit,
/// so a store never refuses a trace that belongs to the sample of all.
package enum TraceSampleRule {
  /// Number of traces kept for each program.
  package static let size = 100

  /// The largest family that may still fit, or nil while any family does. If the sample is not full,
  /// the limit is just below the first family that did not fit: smaller ones may still arrive.
  /// - Parameter families: the number of traces of each family, sorted by family.
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
