import FirstlightModel

/// The result of a gate, and the conditions of its measurement.
package struct GateReport: Sendable {
  package var result: GateResult
  package var program: String
  /// The old binary that ran in alternation; nil: the gate used a baseline.
  package var old: String?
  /// Measured runs of the program.
  package var runs: Int
  package var conditions: MeasuringConditions

  package init(
    result: GateResult, program: String, old: String?, runs: Int, conditions: MeasuringConditions
  ) {
    self.result = result
    self.program = program
    self.old = old
    self.runs = runs
    self.conditions = conditions
  }
}
