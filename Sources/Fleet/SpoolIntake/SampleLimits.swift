import FleetModel

/// Which traces go out with the order of their calls: those that their receiver's sample may want.
///
/// The receiver says up to which family it wants them, but only once it has some. Until then the traces
/// that this host sends tell: those of one program that its own hundred smallest families leave no room
/// for, no sample wants that gets these hundred too.
struct SampleLimits {
  private var limits: [BuildKey: UInt64] = [:]
  /// What was sent, for each program how many traces of each family, sorted by family.
  private var sent: [BuildKey: [(family: UInt64, traces: Int)]] = [:]

  /// The largest family of a program that is wanted.
  subscript(program: BuildKey) -> UInt64 { limits[program] ?? .max }

  /// - Parameter wanted: what the receiver says.
  mutating func lower(to wanted: [BuildKey: UInt64]) {
    limits.merge(wanted) { min($0, $1) }
  }

  /// Notes a trace that goes out with its calls.
  /// - Complexity: O(size of the sample).
  mutating func sent(_ family: UInt64, of program: BuildKey) {
    var families = sent[program] ?? []
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
    sent[program] = families
  }
}
