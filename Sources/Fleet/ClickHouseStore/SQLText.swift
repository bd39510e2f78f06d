import FirstlightModel
import FleetModel

/// Formats values as SQL.
enum SQLText {
  /// A quoted text.
  static func quoted(_ text: String) -> String { Escaping.clickHouseText(text) }

  /// A day, limited to the type `Date`, which ends in 2149.
  static func day(_ day: FleetDay) -> String {
    quoted(FleetDay(number: Int32(UInt16(clamping: day.number))).description)
  }

  /// The sum of a column of counts, at most `TraceLimits.sum`: beyond its type, ClickHouse's goes on from 0.
  static func sum(_ column: String) -> String {
    let most = TraceLimits.sum
    return "if(sum(toFloat64(\(column))) < \(most), sum(\(column)), toUInt64(\(most)))"
  }

  /// The condition that a row belongs to one of these builds.
  static func isOf(_ builds: some Sequence<BuildKey>) -> String {
    isIn("(build_id, recorder)", builds.map { values($0) })
  }

  static func isOf(_ build: BuildKey) -> String { isOf([build]) }

  /// The condition that a row belongs to one of these claims.
  static func isOf(_ claims: some Sequence<Claim>) -> String {
    isIn("(build_id, recorder, guards)", claims.map { values($0) })
  }

  /// The condition that columns have one of some values. It uses a table's order.
  static func isIn(_ columns: String, _ tuples: [String]) -> String {
    tuples.isEmpty ? "0" : "\(columns) IN (\(tuples.map { "(\($0))" }.joined(separator: ",")))"
  }

  static func values(_ build: BuildKey) -> String {
    "\(quoted(build.buildID.description)),\(quoted(build.recorder.rawValue))"
  }

  static func values(_ claim: Claim) -> String { "\(values(claim.build)),\(claim.guards)" }

  static func values(_ key: StateKey) -> String {
    "\(values(Claim(key))),\(day(key.day)),\(quoted(key.labels.version)),\(quoted(key.labels.text))"
  }

  /// The columns of `values(_: Claim)`.
  static let claim = "build_id, recorder, guards"

  /// The columns of `values(_: StateKey)`.
  static let stateKey = "build_id, recorder, guards, day, version, labels"

  /// The condition that a row belongs to a selected series.
  static func isIn(_ wanted: FleetQuery) -> String {
    var conditions: [String] = []
    if let days = wanted.days {
      conditions.append("day >= \(day(days.lowerBound)) AND day <= \(day(days.upperBound))")
    }
    if let version = wanted.version { conditions.append("version = \(quoted(version))") }
    for (key, value) in wanted.labels.sorted(by: { $0.key < $1.key }) {
      conditions.append("has(splitByChar('\\n', labels), \(quoted("\(key)=\(value)")))")
    }
    return conditions.map { " AND " + $0 }.joined()
  }
}
