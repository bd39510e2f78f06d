import Startup
import SystemSupport

extension Optimization {
  /// The outcome of giving the program an index of its conformances.
  package enum Conformances: Sendable {
    case kept(Step)
    case notFaster(Step)
    /// The reason why the program can have none.
    case impossible(String)

    /// A measured attempt.
    package struct Step: Sendable {
      package var records: Int
      /// A is the program without the index; B is the one with it.
      package var comparison: StartupComparison

      package init(records: Int, comparison: StartupComparison) {
        self.records = records
        self.comparison = comparison
      }

      /// Whether the index measurably saves time, and costs nothing.
      var isFaster: Bool {
        comparison.rows.contains {
          ($0.metric == .time || $0.metric == .cpuTime) && $0.verdict == .lower
        } && StartupGain(comparison).losses.isEmpty
      }
    }

    package var isKept: Bool {
      if case .kept = self { true } else { false }
    }

    /// One line for the report.
    var line: String {
      switch self {
      case .kept(let step):
        "Swift conformance look-ups answered from an index of "
          + "\(CountText.text(step.records, "record")): \(Self.change(step))"
      case .notFaster(let step):
        "no index of Swift conformances, it gains no time: \(Self.change(step))"
      case .impossible(let reason): "no index of Swift conformances: \(reason)"
      }
    }

    private static func change(_ step: Step) -> String {
      step.comparison.rows.filter { $0.metric == .time || $0.metric == .cpuTime }
        .map { "\($0.metric.title) \($0.change.map { NumberText.percent($0) } ?? "0")" }
        .joined(separator: ", ")
    }
  }
}
