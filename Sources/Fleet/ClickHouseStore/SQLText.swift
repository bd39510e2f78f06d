import FleetModel

/// Values as they are written in SQL.
enum SQLText {
  /// A text in quotes.
  static func quoted(_ text: String) -> String {
    var result = "'"
    for scalar in text.unicodeScalars {
      if scalar == "'" || scalar == "\\" { result.unicodeScalars.append("\\") }
      result.unicodeScalars.append(scalar)
    }
    return result + "'"
  }

  /// A list for IN. An empty one is no SQL: there is a value that nothing has instead.
  static func list(_ numbers: some Sequence<UInt64>) -> String {
    let text = numbers.map(String.init).joined(separator: ",")
    return "(" + (text.isEmpty ? "0" : text) + ")"
  }

  static func list(_ texts: some Sequence<String>) -> String {
    let text = texts.map(quoted).joined(separator: ",")
    return "(" + (text.isEmpty ? "''" : text) + ")"
  }

  static func array(_ numbers: [UInt64]) -> String {
    "[" + numbers.map(String.init).joined(separator: ",") + "]"
  }

  /// The number that stands for a build in tables with a row for each function, of columns; and that of a
  /// series' version and labels. ClickHouse's documentation: `cityHash64` is CityHash 1.0.2.
  static let build = "cityHash64(build_id, recorder)"
  static let label = "cityHash64(version, labels)"

  /// The number that stands for one build.
  static func number(of build: BuildKey) -> String {
    "cityHash64(\(quoted(build.buildID.description)), \(quoted(build.recorder.rawValue)))"
  }

  /// What `seen_build.family` holds of programs whose sample has no limit.
  static let noLimit = "toUInt64(\(UInt64.max))"

  /// The condition that a row is of one build.
  static func isOf(_ build: BuildKey) -> String {
    "build_id = \(quoted(build.buildID.description)) AND recorder = \(quoted(build.recorder.rawValue))"
  }

  /// The condition that a row is of a series that is wanted.
  static func isIn(_ wanted: SeriesFilter) -> String {
    var conditions: [String] = []
    if let days = wanted.days {
      conditions.append("day >= \(days.lowerBound.number) AND day <= \(days.upperBound.number)")
    }
    if let version = wanted.version { conditions.append("version = \(quoted(version))") }
    for (key, value) in wanted.labels.sorted(by: { $0.key < $1.key }) {
      conditions.append("has(splitByChar('\\n', labels), \(quoted("\(key)=\(value)")))")
    }
    return conditions.map { " AND " + $0 }.joined()
  }
}
