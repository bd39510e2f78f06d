import FirstlightModel
import FleetModel

/// What a batch of traces adds to a store that knows some of them.
struct Batch {
  private(set) var receipt = IngestReceipt()
  let sums: BatchSums
  private(set) var ids: [TraceID] = []
  /// New traces that the sample may want.
  private(set) var sampled: [FleetTrace] = []
  /// Programs whose limit sinks by this batch.
  private(set) var newLimits: [BuildKey: UInt64] = [:]
  private let known: ClickHouseFleetStore.Known

  init(_ traces: [FleetTrace], known: ClickHouseFleetStore.Known) {
    self.known = known
    var guards = known.guards
    var seen = known.traces
    var added: [FleetTrace] = []
    for trace in traces {
      if let reason = Self.refusal(of: trace, guards: &guards) {
        receipt.refused.append(RefusedTrace(id: trace.id, reason: reason))
      } else if !seen.insert(trace.id).inserted {
        receipt.known += 1
      } else {
        receipt.added += 1
        ids.append(trace.id)
        added.append(trace)
        if trace.calls != nil { sampled.append(trace) }
      }
    }
    sums = BatchSums(added)
    receipt.sampleLimits = known.sampleLimits
  }

  /// Leaves out what the samples have no room for; see `TraceSampleRule`.
  mutating func trimSample() {
    sampled.removeAll { trace in
      guard let program = trace.programBuild else { return true }
      return trace.family > known.sampleLimits[program] ?? .max
    }
    for (program, traces) in Dictionary(grouping: sampled, by: { $0.programBuild }) {
      guard let program else { continue }
      var counts = known.families[program] ?? [:]
      for trace in traces { counts[trace.family, default: 0] += 1 }
      let families = counts.sorted { $0.key < $1.key }.map { (family: $0.key, traces: $0.value) }
      guard let last = TraceSampleRule.last(of: families),
        last < known.sampleLimits[program] ?? .max
      else { continue }
      newLimits[program] = last
      receipt.sampleLimits[program] = last
    }
    sampled.removeAll { trace in
      trace.programBuild.flatMap { newLimits[$0] }.map { trace.family > $0 } ?? false
    }
  }

  /// - Parameter guards: as the store knows, or as the first trace says.
  private static func refusal(
    of trace: FleetTrace, guards: inout [BuildKey: Int]
  ) -> String? {
    if trace.images.isEmpty { return "loaded no image" }
    for image in trace.images {
      let known = guards[image.build] ?? image.guardCount
      guards[image.build] = known
      if known != image.guardCount {
        return "\(image.name) (build id \(image.build.buildID.short)) has \(image.guardCount) "
          + "guards in this trace, \(known) in others"
      }
    }
    return nil
  }
}
