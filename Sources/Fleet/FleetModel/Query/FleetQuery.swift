import FirstlightModel

/// A query to a fleet: selects builds, and runs of them.
package struct FleetQuery: Hashable, Sendable {
  /// The build id, or its first digits if no build has exactly this id; nil for all.
  package var buildID: String?
  /// Nil for all.
  package var recorder: Recorder?
  /// A name of the image's file (`ImageNames`); nil for all.
  package var program: String?
  /// Selects builds with runs of this version, and of these the runs; nil for all.
  package var version: String?
  /// The days of runs; nil for all.
  package var days: ClosedRange<FleetDay>?
  /// Labels that a run must have.
  package var labels: [TextBytes: String]

  package init(
    buildID: String? = nil, recorder: Recorder? = nil, program: String? = nil,
    version: String? = nil, days: ClosedRange<FleetDay>? = nil, labels: [TextBytes: String] = [:]
  ) {
    self.buildID = buildID
    self.recorder = recorder
    self.program = program
    self.version = version
    self.days = days
    self.labels = labels
  }

  /// Whether runs of a series are selected.
  package func contains(day: FleetDay, labels: FleetLabels) -> Bool {
    (days?.contains(day) ?? true) && (version.map { $0 == labels.version } ?? true)
      && self.labels.allSatisfy { key, value in
        labels.labels[key] == value
      }
  }
}

/// A query as the parameters of an address: `build-id`, `recorder`, `program`, `version`, `label` (repeated, `k=v`),
/// `since` and `until` (days).
extension FleetQuery {
  /// The keys of `items`.
  package static let keys = [
    "build-id", "recorder", "program", "version", "label", "since", "until",
  ]

  /// Parses parameters; ignores other keys.
  /// - Throws: `.usage`, naming the error.
  package init(items: [(String, String)]) throws(Failure) {
    self.init()
    var since = FleetDay(number: 0)
    var until = FleetDay(number: .max)
    for (key, value) in items {
      switch key {
      case "build-id": buildID = value
      case "recorder": recorder = try Self.recorder(value)
      case "program": program = value
      case "version": version = value
      case "label":
        let label = try FleetLabels.pair(value)
        labels[label.key] = label.value
      case "since": since = try Self.day(value)
      case "until": until = try Self.day(value)
      default: break
      }
    }
    guard since <= until else { throw Failure(.usage, "\(until) is before \(since)") }
    if since.number > 0 || until.number < .max { days = since...until }
  }

  /// The parameters that select builds.
  package var buildItems: [(String, String)] {
    [
      ("build-id", buildID), ("recorder", recorder?.rawValue), ("program", program),
      ("version", version),
    ].compactMap { key, value in value.map { (key, $0) } }
  }

  package var items: [(String, String)] {
    var items = buildItems
    if let days, days.lowerBound.number > 0 { items.append(("since", "\(days.lowerBound)")) }
    if let days, days.upperBound.number < .max { items.append(("until", "\(days.upperBound)")) }
    return items
      + labels.sorted { $0.key < $1.key }.map { ("label", "\($0.key)=\($0.value)") }
  }

  private static func recorder(_ text: String) throws(Failure) -> Recorder {
    let known = Recorder.allCases.filter { $0 != .counters }
    guard let recorder = known.first(where: { $0.rawValue == text }) else {
      throw Failure(
        .usage, "\"\(text)\" is not a recorder",
        advice: "use \(known.map(\.rawValue).joined(separator: " or "))")
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

/// A part of the list of builds, which is sorted by program and build id.
package struct Page: Hashable, Sendable {
  /// Starts after this position, whose build may have been removed; nil starts at the beginning.
  package var after: PagePosition?
  package var limit: Int

  package init(after: PagePosition? = nil, limit: Int = 100) {
    self.after = after
    self.limit = limit
  }
}

/// A position in the list of builds.
package struct PagePosition: Hashable, Sendable {
  package var program: String
  package var build: BuildKey

  package init(program: String, build: BuildKey) {
    self.program = program
    self.build = build
  }
}
