import FleetModel

/// Decides which traces keep the order of their calls: those that the receiver's sample may want.
///
/// The receiver reports up to which family it wants them, but only once it has some. Until then the host's
/// own sample decides: no sample wants what these hundred leave no room for, since it gets them too.
struct SampleLimits {
  private var limits: [BuildKey: UInt64] = [:]
  /// The host's sample, for each program how many traces of each family, sorted by family.
  private var sampled: [BuildKey: [(family: UInt64, traces: Int)]]

  init(sampled: [BuildKey: [(family: UInt64, traces: Int)]] = [:]) {
    self.sampled = sampled
    for (program, families) in sampled {
      limits[program] = TraceSampleRule.last(of: families)
    }
  }

  /// The largest family of a program that is wanted.
  subscript(program: BuildKey) -> UInt64 { limits[program] ?? .max }

  /// - Parameter wanted: what the receiver says.
  mutating func lower(to wanted: [BuildKey: UInt64]) {
    limits.merge(wanted) { min($0, $1) }
  }

  /// Notes a trace that is kept with its calls.
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
