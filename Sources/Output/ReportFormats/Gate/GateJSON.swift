import FirstlightModel
import RunStatistics
import StartupReport
import TextFormatting

/// What a gate found, for programs.
package enum GateJSON {
  package static func text(_ report: GateReport) throws(Failure) -> String {
    try JSONForm.pretty(Document(report))
  }

  private struct Document: Encodable {
    var outcome, program, until: String
    var arguments: [String]
    var against: String?
    var runs: Int
    var cold: Bool
    var processor: Int?
    var maxRegression: Double
    /// Of the time, and of the CPU time.
    var drift: Ratio?
    var cpuDrift: Ratio?
    var metrics: [Measured]
    var counts: [Count]
    var order: OrderDocument?
    var machine: Machine
    var notes: [String]

    init(_ report: GateReport) {
      let result = report.result
      outcome = result.outcome.rawValue
      program = report.program
      until = report.until
      arguments = report.arguments
      against = report.old
      runs = report.runs
      cold = report.isCold
      processor = report.processor
      maxRegression = result.maxRegression
      drift = result.drift[.time].map(Ratio.init)
      cpuDrift = result.drift[.cpuTime].map(Ratio.init)
      metrics = result.metrics.map(Measured.init)
      counts = result.counts.map {
        Count(
          kind: $0.kind.rawValue, old: $0.old, new: $0.new, added: $0.added,
          regression: $0.isRegression)
      }
      order = result.order.map {
        OrderDocument(old: $0.old, new: $0.new, regression: $0.isRegression)
      }
      machine = Machine(
        kernel: report.host.kernel, architecture: report.host.architecture,
        processor: report.host.processor, cores: report.host.cores)
      notes = report.notes
    }
  }

  private struct Ratio: Encodable {
    var ratio, lower, upper: Double

    init(_ estimate: RatioEstimate) {
      (ratio, lower, upper) = (estimate.ratio, estimate.lower, estimate.upper)
    }
  }

  private struct Measured: Encodable {
    var metric: String
    var old, new: [Double]
    var change: Ratio?
    /// Nil: not judged.
    var verdict: String?

    init(_ row: GateResult.MetricRow) {
      metric = row.metric.rawValue
      old = row.old.sorted
      new = row.new.sorted
      change = row.ratio.map(Ratio.init)
      verdict = row.verdict?.rawValue
    }
  }

  private struct Count: Encodable {
    var kind: String
    var old, new: Int
    var added: [String]
    var regression: Bool
  }

  private struct OrderDocument: Encodable {
    var old, new: Double
    var regression: Bool
  }

  private struct Machine: Encodable {
    var kernel, architecture, processor: String
    var cores: Int
  }
}
