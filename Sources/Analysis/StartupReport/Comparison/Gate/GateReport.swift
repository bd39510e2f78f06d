import FirstlightModel

/// The result of a gate, and the conditions of its measurement.
package struct GateReport: Sendable {
  package var result: GateResult
  package var program: String
  /// The old binary that ran in alternation; nil: the gate used a baseline.
  package var old: String?
  /// Measured runs of the program.
  package var runs: Int
  package var isCold: Bool
  package var until: String
  package var arguments: [String]
  /// The CPU of the program; nil: any.
  package var processor: Int?
  package var host: Host
  package var notes: [String]

  package init(
    result: GateResult, program: String, old: String?, runs: Int, isCold: Bool, until: String,
    arguments: [String], processor: Int?, host: Host, notes: [String]
  ) {
    self.result = result
    self.program = program
    self.old = old
    self.runs = runs
    self.isCold = isCold
    self.until = until
    self.arguments = arguments
    self.processor = processor
    self.host = host
    self.notes = notes
  }
}
