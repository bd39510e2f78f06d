import FirstlightModel
import RunStatistics
import StartupReport
import TextFormatting

/// A comparison of two start-ups for programs: each run's values too.
package enum ComparisonJSON {
  package static func text(_ comparison: StartupComparison) throws(Failure) -> String {
    try JSONForm.pretty(Document(comparison))
  }

  private struct Document: Encodable {
    var cold: Bool
    /// Whether cold starts can be set against each other, and why not.
    var even: Bool?
    var warning: String?
    var until: String
    var arguments: [String]
    var a, b: Side
    var rows: [Row]
    var conclusions: [String]
    var host, kernel, architecture, processor: String
    var cores: Int
    var droppedFiles, keptFiles, notes: [String]

    init(_ comparison: StartupComparison) {
      let conditions = comparison.conditions
      cold = conditions.isCold
      even = comparison.evenness?.isEven
      warning = ComparisonCells(comparison: comparison).warning
      until = conditions.until
      arguments = conditions.arguments
      a = Side(comparison.a, readahead: conditions.readahead.a)
      b = Side(comparison.b, readahead: conditions.readahead.b)
      rows = comparison.rows.map(Row.init)
      conclusions = ComparisonCells(comparison: comparison).conclusions
      host = conditions.host.name
      kernel = conditions.host.kernel
      architecture = conditions.host.architecture
      processor = conditions.host.processor
      cores = conditions.host.cores
      droppedFiles = conditions.droppedFiles
      keptFiles = conditions.keptFiles
      notes = conditions.notes
    }
  }

  private struct Side: Encodable {
    var path: String
    var buildID: String?
    var fileBytes: UInt64
    var readaheadKiB: Int?
    var runs: [[String: Double]]
    var touchedPages: Int?
    var touchedExact: Bool?
    var sections: [Section]

    init(_ side: StartupComparison.Side, readahead: Int?) {
      path = side.facts.path
      buildID = side.facts.buildID?.description
      fileBytes = side.facts.fileSize
      readaheadKiB = readahead
      runs = side.runs.map { run in
        Dictionary(uniqueKeysWithValues: run.values.map { ($0.key.rawValue, $0.value) })
      }
      touchedPages = side.map?.touched
      touchedExact = side.map?.isExact
      sections = (side.map?.countsBySection ?? [:]).sorted { $0.key < $1.key }.map {
        Section(name: $0.key, pages: $0.value.pages, touched: $0.value.touched)
      }
    }
  }

  private struct Section: Encodable {
    var name: String
    var pages, touched: Int
  }

  private struct Row: Encodable {
    var metric, unit: String
    var a, b: Spread
    var change: Double?
    var u, p, adjustedP, effect: Double
    var exact: Bool
    var verdict: String

    init(_ row: StartupComparison.Row) {
      metric = row.metric.rawValue
      unit = row.metric.unit
      a = Spread(row.a)
      b = Spread(row.b)
      change = row.change
      u = row.test.u
      p = row.test.p
      adjustedP = row.p
      effect = row.test.effect
      exact = row.test.isExact
      verdict = row.verdict.rawValue
    }
  }

  private struct Spread: Encodable {
    var median, lowerQuartile, upperQuartile, medianAbsoluteDeviation: Double

    init(_ sample: Sample) {
      median = sample.median
      lowerQuartile = sample.quantile(0.25)
      upperQuartile = sample.quantile(0.75)
      medianAbsoluteDeviation = sample.medianAbsoluteDeviation
    }
  }
}
