import FirstlightModel
import Yams

/// When functions are deprecated and removed: the key `retire` of a `.firstlight.yml`.
///
///     retire:
///       deprecate: {weeks: 4, runs: 1000}    # recorded and never called
///       remove: {weeks: 12, runs: 5000}      # recorded since deprecated
package struct RetirementRules: Hashable, Sendable {
  package struct Threshold: Hashable, Sendable {
    package var weeks: Double
    package var runs: Int

    package init(weeks: Double, runs: Int) {
      self.weeks = weeks
      self.runs = runs
    }

    /// Whether as much was recorded.
    package func isMet(days: Double, runs: Int) -> Bool {
      days >= weeks * 7 && runs >= self.runs
    }
  }

  package var deprecate = Threshold(weeks: 4, runs: 100)
  package var remove = Threshold(weeks: 12, runs: 100)

  package init() {}

  /// - Parameter wrong: makes the failure for an error in the file.
  init(_ node: Node, wrong: (String) -> Failure) throws(Failure) {
    guard let mapping = node.mapping else { throw wrong("'retire' must be a mapping") }
    for (key, value) in mapping {
      switch key.string {
      case "deprecate": deprecate = try Self.threshold(value, deprecate, "deprecate", wrong)
      case "remove": remove = try Self.threshold(value, remove, "remove", wrong)
      default: throw wrong("retire: unknown key '\(key.string ?? "?")'")
      }
    }
  }

  private static func threshold(
    _ node: Node, _ usual: Threshold, _ name: String, _ wrong: (String) -> Failure
  ) throws(Failure) -> Threshold {
    guard let mapping = node.mapping else {
      throw wrong("retire, \(name): must have weeks and runs")
    }
    var threshold = usual
    for (key, value) in mapping {
      switch key.string {
      case "weeks":
        guard let weeks = value.float ?? value.int.map(Double.init), weeks >= 0, weeks < 10_000
        else { throw wrong("retire, \(name): 'weeks' must be a number") }
        threshold.weeks = weeks
      case "runs":
        guard let runs = value.int, runs >= 0 else {
          throw wrong("retire, \(name): 'runs' must be a whole number")
        }
        threshold.runs = runs
      default: throw wrong("retire, \(name): unknown key '\(key.string ?? "?")'")
      }
    }
    return threshold
  }
}
