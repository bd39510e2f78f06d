import FirstlightModel
import FleetModel

extension FleetSelection {
  /// The keys that `init(query:)` knows.
  package static let keys = [
    "build-id", "recorder", "program", "version", "label", "since", "until",
  ]

  /// A selection as addresses and the command line spell it: `build-id`, `recorder`, `program`, `version`,
  /// `label` (repeated, `k=v`), `since` and `until` (days). Other keys are no business of it.
  /// - Throws: `.usage`, naming what is wrong.
  package init(query: [(String, String)]) throws(Failure) {
    var builds = BuildFilter()
    var series = SeriesFilter()
    var since = FleetDay(number: 0)
    var until = FleetDay(number: .max)
    for (key, value) in query {
      switch key {
      case "build-id": builds.buildID = value
      case "recorder": builds.recorder = try Self.recorder(value)
      case "program": builds.program = value
      case "version": builds.version = value
      case "label":
        guard let equals = value.firstIndex(of: "="), equals != value.startIndex else {
          throw Failure(.usage, "label \"\(value)\" is not KEY=VALUE")
        }
        series.labels[String(value[..<equals])] = String(value[value.index(after: equals)...])
      case "since": since = try Self.day(value)
      case "until": until = try Self.day(value)
      default: break
      }
    }
    guard since <= until else { throw Failure(.usage, "\(until) is before \(since)") }
    if since.number > 0 || until.number < .max { series.days = since...until }
    self.init(builds: builds, series: series)
  }

  private static func recorder(_ text: String) throws(Failure) -> Recorder {
    guard let recorder = Recorder(rawValue: text) else {
      throw Failure(
        .usage, "\"\(text)\" is not a recorder",
        advice: "use \(Recorder.allCases.map(\.rawValue).joined(separator: " or "))")
    }
    return recorder
  }

  private static func day(_ text: String) throws(Failure) -> FleetDay {
    guard let day = FleetDay(text) else {
      throw Failure(.usage, "\"\(text)\" is not a day", advice: "write it as 2026-11-21")
    }
    return day
  }
}
