/// Traces that can be added up together: of each build they all say the same.
package struct TraceVariants {
  /// Each with how many guards its builds have.
  package private(set) var groups: [(guards: [BuildKey: Int], traces: [FleetTrace])] = []
  /// Where the traces of a build with a number of guards were put last.
  private var placeOf: [Claim: Int] = [:]

  private struct Claim: Hashable {
    var build: BuildKey
    var guards: Int
  }

  package init() {}

  /// How a trace contradicts itself; nil if it does not.
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

  /// - Parameter trace: one that does not contradict itself.
  package mutating func add(_ trace: FleetTrace) {
    let claims = trace.images.map { Claim(build: $0.build, guards: $0.guardCount) }
    // Nearly always all traces agree.
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
