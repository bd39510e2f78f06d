/// Groups traces that can be added up together, because they agree on each build's number of guards.
package struct TraceVariants {
  /// Each group with its builds' numbers of guards.
  package private(set) var groups: [(guards: [BuildKey: Int], traces: [FleetTrace])] = []
  /// The last group of traces that claim a build and a number of guards.
  private var placeOf: [Claim: Int] = [:]

  private struct Claim: Hashable {
    var build: BuildKey
    var guards: Int
  }

  package init() {}

  /// The contradiction within a trace; nil if there is none.
  package static func contradiction(in trace: FleetTrace) -> String? {
    if trace.images.isEmpty { return "loaded no image" }
    var guards: [BuildKey: Int] = [:]
    for image in trace.images {
      if let known = guards.updateValue(image.guardCount, forKey: image.build),
        known != image.guardCount
      {
        return "\(image.name) (build id \(image.build.buildID.short)) has \(image.guardCount) "
          + "guards in this trace, and \(known)"
      }
    }
    return nil
  }

  /// - Parameter trace: a trace without contradiction.
  package mutating func add(_ trace: FleetTrace) {
    let claims = trace.images.map { Claim(build: $0.build, guards: $0.guardCount) }
    // Usually all traces agree.
    let likely = claims.compactMap { placeOf[$0] }.prefix(1) + groups.indices.prefix(1)
    let place = likely.first { fits(claims, groups[$0].guards) } ?? groups.count
    if place == groups.count { groups.append(([:], [])) }
    groups[place].traces.append(trace)
    for claim in claims {
      groups[place].guards[claim.build] = claim.guards
      placeOf[claim] = place
    }
  }

  private func fits(_ claims: [Claim], _ guards: [BuildKey: Int]) -> Bool {
    claims.allSatisfy { guards[$0.build] ?? $0.guards == $0.guards }
  }
}

/// Decides which traces a store keeps in full: for each program, whole families with the smallest
/// `family`, in rising order up to the first that exceeds the size; the very first is always kept.
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
