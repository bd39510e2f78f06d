/// A row of a gate: what can be judged, or left out.
package enum GateRow: String, CaseIterable, Sendable {
  case time, cpu
  case majorFaults = "major-faults"
  case minorFaults = "minor-faults"
  case libraries, initializers, relocations
  case order

  /// The rows that a word names; `faults` are both kinds. Nil: none.
  package static func named(_ word: String) -> [GateRow]? {
    if word == "faults" { return [.majorFaults, .minorFaults] }
    return GateRow(rawValue: word).map { [$0] }
  }

  /// Words that name rows, for messages.
  package static let words = allCases.map(\.rawValue) + ["faults"]

  /// What a shared machine leaves to be judged: elapsed time and major faults depend on what others
  /// do there.
  package static let ofSharedMachines = Set(allCases).subtracting([.time, .majorFaults])

  init?(_ metric: StartupMetric) {
    switch metric {
    case .time: self = .time
    case .cpuTime: self = .cpu
    case .majorFaults: self = .majorFaults
    case .minorFaults: self = .minorFaults
    default: return nil
    }
  }
}
