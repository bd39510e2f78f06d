import FirstlightModel
import FleetModel

/// A sampled trace's identity in the store: one that a stranger sends displaces no other's.
struct SampleKey: Hashable, Comparable {
  var program: Claim
  var family: UInt64
  var publisher: String
  var id: TraceID

  static func < (a: SampleKey, b: SampleKey) -> Bool {
    (a.family, a.id.high, a.id.low, a.publisher, a.program)
      < (b.family, b.id.high, b.id.low, b.publisher, b.program)
  }
}

/// The limit of each program's sample: see `TraceSampleRule`. Those that have room for any have none.
func sampleLimits(of keys: some Sequence<SampleKey>) -> [Claim: UInt64] {
  var families: [Claim: [UInt64: Int]] = [:]
  for key in keys { families[key.program, default: [:]][key.family, default: 0] += 1 }
  return families.compactMapValues { counts in
    TraceSampleRule.last(
      of: counts.sorted { $0.key < $1.key }.map { (family: $0.key, traces: $0.value) })
  }
}

/// The sampled traces that are new to a shard and have room there.
struct SampleIntake {
  /// `place`: of the publisher among those that sent. `loaded`: the images, without builds that were removed.
  private(set) var new: [SampleKey: (place: Int, trace: FleetTrace, loaded: [FleetImage])] = [:]
  /// Of programs that have more traces than room.
  private let limits: [Claim: UInt64]

  /// - Parameter known: what the shard has of the programs.
  init(_ published: [PublishedStates], known: Set<SampleKey>, _ rules: StateRules) {
    var keys = known
    for (place, published) in published.enumerated() {
      for trace in published.samples where trace.calls != nil {
        guard let program = trace.programClaim, TraceVariants.contradiction(in: trace) == nil,
          let images = rules.images(of: trace)
        else { continue }
        let key = SampleKey(
          program: program, family: trace.family, publisher: published.publisher.description,
          id: trace.id)
        guard keys.insert(key).inserted else { continue }
        new[key] = (place, trace, images)
      }
    }
    let limits = sampleLimits(of: keys)
    new = new.filter { $0.key.family <= limits[$0.key.program] ?? .max }
    self.limits = limits
  }

  /// Of builds that the rows make several claims of, the limit that leaves most.
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
