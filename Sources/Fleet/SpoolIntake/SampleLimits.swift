import FirstlightModel
import FleetModel
import SystemSupport

/// Decides which traces keep the order of their calls: those that the receiver may sample.
///
/// The receiver reports the highest family that it wants, but only once it has some traces. Until
/// then the host's own sample decides: a trace that does not fit it fits no receiver's sample.
struct SampleLimits {
  private var limits: [BuildKey: UInt64] = [:]
  /// The host's sample: for each program, the number of traces of each family, sorted by family.
  private var sampled: [BuildKey: [(family: UInt64, traces: Int)]]

  init(sampled: [BuildKey: [(family: UInt64, traces: Int)]] = [:]) {
    self.sampled = sampled
    for (program, families) in sampled {
      limits[program] = TraceSampleRule.last(of: families)
    }
  }

  /// The largest wanted family of a program.
  subscript(program: BuildKey) -> UInt64 { limits[program] ?? .max }

  /// - Parameter wanted: the receiver's limits.
  mutating func lower(to wanted: [BuildKey: UInt64]) {
    limits.merge(wanted) { min($0, $1) }
  }

  /// Records a trace that keeps its calls.
  /// - Complexity: O(size of the sample).
  mutating func sampled(_ family: UInt64, of program: BuildKey) {
    var families = sampled[program] ?? []
    let place = families.firstIndex { $0.family >= family } ?? families.count
    if place < families.count, families[place].family == family {
      families[place].traces += 1
    } else {
      families.insert((family, 1), at: place)
    }
    if let last = TraceSampleRule.last(of: families) {
      limits[program] = min(self[program], last)
      families.removeAll { $0.family > last }
    }
    sampled[program] = families
  }
}
