import FleetAPI

/// How start-up times changed against the version that was first seen before, under the same labels.
struct StartupChange {
  var text: String
  /// The row's class.
  var mark: String

  /// A change is worth a mark if p90 moved by more than this share, which is four times the width of
  /// a histogram's bucket, and both have enough starts for a p90 to mean something.
  static let threshold = 0.2
  static let leastStarts = 30

  static func changes(_ rows: [StartupsDocument.Row]) -> [StartupChange] {
    rows.map { row in
      let before = rows.filter {
        $0.labels == row.labels && $0.program == row.program && $0.firstDay <= row.firstDay
          && ($0.buildID, $0.version) != (row.buildID, row.version)
          && ($0.firstDay, $0.version) < (row.firstDay, row.version)
      }.max { ($0.firstDay, $0.version) < ($1.firstDay, $1.version) }
      guard let before else { return StartupChange(text: "", mark: "") }
      guard before.starts >= leastStarts, row.starts >= leastStarts, before.p90 > 0 else {
        return StartupChange(text: "too few starts", mark: "")
      }
      let change = row.p90 / before.p90 - 1
      let percent = Int((abs(change) * 100).rounded())
      if change > threshold { return StartupChange(text: "p90 \(percent)% slower", mark: "worse") }
      if change < -threshold {
        return StartupChange(text: "p90 \(percent)% faster", mark: "better")
      }
      return StartupChange(text: "no difference beyond \(Int(threshold * 100))%", mark: "")
    }
  }
}
