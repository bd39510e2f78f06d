import FirstlightModel

/// A row of a gate that users can select or exclude.
package enum GateRow: String, CaseIterable, Sendable {
  case time, cpu
  case majorFaults = "major-faults"
  case minorFaults = "minor-faults"
  case libraries, initializers, relocations
  case order

  /// The rows of a word from the command line; `faults` means both kinds. Nil if the word is unknown.
  package static func named(_ word: String) -> [GateRow]? {
    if word == "faults" { return [.majorFaults, .minorFaults] }
    return GateRow(rawValue: word).map { [$0] }
  }

  /// Words that name rows, for messages.
  package static let words = allCases.map(\.rawValue) + ["faults"]

  /// The rows that a shared machine can judge. Elapsed time and major faults depend on the load by others.
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
