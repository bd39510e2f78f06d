import FirstlightModel
import FleetModel

/// The sampled traces that are new to the store and fit its samples.
struct SampleIntake {
  /// `place` is the publisher's index; `loaded` has the images without removed builds.
  private(set) var new: [SampleKey: (place: Int, trace: FleetTrace, loaded: [FleetImage])] = [:]
  /// Limits of programs with more traces than the sample keeps.
  private let limits: [Claim: UInt64]

  /// - Parameters:
  ///   - known: the stored traces of the programs.
  ///   - claims: the claims that the store keeps.
  init(
    _ published: [PublishedStates], known: Set<SampleKey>, _ claims: inout ClaimRooms,
    _ rules: StateRules
  ) {
    var keys = known
    for (place, published) in published.enumerated() {
      for trace in published.samples {
        guard let program = trace.programClaim, trace.contradiction == nil,
          let images = rules.images(of: trace), claims.admit(program)
        else { continue }
        let key = SampleKey(
          program: program, family: trace.family, publisher: published.publisher.description,
          id: trace.id)
        guard keys.insert(key).inserted else { continue }
        new[key] = (
          place, trace, images.filter { claims.admit(Claim($0.build, guards: $0.guardCount)) }
        )
      }
    }
    let kept = sampled(keys)
    new = new.filter { kept.contains($0.key) }
    limits = sampleLimits(of: keys)
  }

  /// The limit of each build; if the rows have several claims about it, the highest limit.
  func limits(of claims: Set<Claim>) -> [BuildKey: UInt64] {
    Dictionary(grouping: claims, by: \.build).compactMapValues { claims in
      let most = claims.map { limits[$0] ?? .max }.max() ?? .max
      return most == .max ? nil : most
    }
  }

  func rows(received: FleetDay) -> RowWriter {
    var rows = RowWriter()
    for (key, (_, trace, images)) in new.sorted(by: { $0.key < $1.key }) {
      rows.begin(key.program)
      rows.add(key.family)
      rows.add(key.publisher)
      rows.add(key.id.high)
      rows.add(key.id.low)
      rows.add(FleetDay.counting(trace.startedAt))
      rows.add(received)
      rows.add(UInt64(trace.answerWeight))
      rows.add(array: images.map { Claim($0.build, guards: $0.guardCount).text })
      rows.add(array: images.map { BaseName.of($0.name) })
      rows.add(StateBatch.encode(sample: trace))
    }
    return rows
  }
}
