import FirstlightModel
import FleetModel

/// What the batches of several senders add to a store that knows some of their traces.
struct Batch {
  /// What each sender is answered.
  private(set) var receipts: [IngestReceipt] = []
  let sums: BatchSums
  private(set) var ids: [TraceID] = []
  /// New traces that the sample may want.
  private(set) var sampled: [FleetTrace] = []
  /// Programs whose limit sinks by this batch.
  private(set) var newLimits: [BuildKey: UInt64] = [:]
  private let known: ClickHouseFleetStore.Known
  /// The programs of each sender's traces.
  private var programs: [Set<BuildKey>] = []

  /// - Parameter senders: the traces that each of them sent.
  init(_ senders: [[FleetTrace]], known: ClickHouseFleetStore.Known) {
    self.known = known
    var guards = known.guards
    var seen = known.traces
    var added: [FleetTrace] = []
    for traces in senders {
      var receipt = IngestReceipt()
      for trace in traces {
        if let reason = Self.refusal(of: trace, guards: &guards) {
          receipt.refused.append(RefusedTrace(id: trace.id, reason: reason))
        } else if !seen.insert(trace.id).inserted {
          receipt.known += 1
        } else {
          receipt.added += 1
          ids.append(trace.id)
          added.append(trace)
        }
      }
      let programs = Set(traces.compactMap(\.programBuild))
      receipt.sampleLimits = known.sampleLimits.filter { programs.contains($0.key) }
      self.programs.append(programs)
      receipts.append(receipt)
    }
    sums = BatchSums(added)
    sampled = added.filter { trace in
      guard trace.calls != nil, let program = trace.programBuild else { return false }
      return trace.family <= known.sampleLimits[program] ?? .max
    }
  }

  var isEmpty: Bool { ids.isEmpty }

  /// The programs whose samples may want some of the traces.
  var samplePrograms: Set<BuildKey> { Set(sampled.compactMap(\.programBuild)) }

  /// Leaves out what the samples have no room for; see `TraceSampleRule`.
  /// - Parameter known: how many traces each family of the programs has.
  mutating func trimSample(_ known: [BuildKey: [UInt64: Int]]) {
    for (program, traces) in Dictionary(grouping: sampled, by: { $0.programBuild }) {
      guard let program else { continue }
      var counts = known[program] ?? [:]
      for trace in traces { counts[trace.family, default: 0] += 1 }
      guard let last = TraceSampleRule.last(of: counts),
        last < self.known.sampleLimits[program] ?? .max
      else { continue }
      newLimits[program] = last
      for place in receipts.indices where programs[place].contains(program) {
        receipts[place].sampleLimits[program] = last
      }
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

extension TraceSampleRule {
  static func last(of families: [UInt64: Int]) -> UInt64? {
    last(of: families.sorted { $0.key < $1.key }.map { (family: $0.key, traces: $0.value) })
  }
}
