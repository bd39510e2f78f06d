import FirstlightModel

/// What a gate found, and under which conditions.
public struct GateReport: Sendable {
  public var result: GateResult
  public var program: String
  /// The old binary that ran in turn; nil: a baseline was written earlier.
  public var old: String?
  /// Measured runs of the program.
  public var runs: Int
  public var isCold: Bool
  public var until: String
  public var arguments: [String]
  /// The processor it was kept on; nil: any.
  public var processor: Int?
  public var host: Host
  public var notes: [String]

  public init(
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
