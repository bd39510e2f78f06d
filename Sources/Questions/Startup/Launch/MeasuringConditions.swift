import FirstlightModel
import ProcessControl

/// The conditions under which starts were measured.
package struct MeasuringConditions: Sendable {
  package var arguments: [String]
  /// The end of a start-up, for people: "exit", "port:8080", "1.5 s" (`ReadinessCondition.text`).
  package var until: String
  package var isCold: Bool
  package var host: Host
  /// Remarks, one line each.
  package var notes: [String]
  /// The CPU of the programs; nil: any.
  package var processor: Int?
  /// The readahead of the devices that the binaries are on, KiB; nil: unknown.
  package var readahead: (a: Int?, b: Int?) = (nil, nil)
  /// Files whose pages were dropped from the page cache before each run.
  package var droppedFiles: [String] = []
  /// Files whose pages stayed in the page cache.
  package var keptFiles: [String] = []

  package init(
    arguments: [String], until: String, isCold: Bool, host: Host, notes: [String] = []
  ) {
    self.arguments = arguments
    self.until = until
    self.isCold = isCold
    self.host = host
    self.notes = notes
  }
}
