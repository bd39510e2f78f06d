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
