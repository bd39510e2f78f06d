import FirstlightModel
import FleetModel
import Reports
import SystemSupport

/// The change of start-up times from the previous version (by first day) with the same labels.
struct StartupChange {
  var text: String
  /// The CSS class of the row.
  var mark: String

  /// A change is marked if p90 moved by more than this share, which is four times the width of a histogram's
  /// bucket, and if both versions have enough starts for a meaningful p90.
  static let threshold = 0.2
  static let leastStarts = 30

  static func changes(_ rows: [StartupsDocument.Row]) -> [StartupChange] {
    let previous = previous(rows)
    return rows.indices.map { place in
      let row = rows[place]
      let before = previous[place].map { rows[$0] }
      guard let before else { return StartupChange(text: "", mark: "") }
      guard before.starts >= leastStarts, row.starts >= leastStarts, before.p90 > 0 else {
        return StartupChange(text: "too few starts", mark: "")
      }
      let change = row.p90 / before.p90 - 1
      let percent = CountText.number(Int(clamping: (abs(change) * 100).rounded()))
      if change > threshold { return StartupChange(text: "p90 \(percent)% slower", mark: "worse") }
      if change < -threshold {
        return StartupChange(text: "p90 \(percent)% faster", mark: "better")
      }
      return StartupChange(text: "no difference beyond \(Int(threshold * 100))%", mark: "")
    }
  }
  /// For each row the last one before it with the same labels, but of another build or version.
  private static func previous(_ rows: [StartupsDocument.Row]) -> [Int?] {
    struct Group: Hashable {
      @TextBytes var program: String
      var labels: [TextBytes: TextBytes]
    }
    var previous = [Int?](repeating: nil, count: rows.count)
    let groups = Dictionary(grouping: rows.indices) {
      Group(program: rows[$0].program, labels: rows[$0].labels.mapValues { TextBytes($0) })
    }
    for places in groups.values {
      let sorted = places.sorted {
        (rows[$0].firstDay, rows[$0].version) < (rows[$1].firstDay, rows[$1].version)
      }
      // Rows of equal days and versions do not precede each other.
      var (first, last): (Int, Int?) = (0, nil)
      for (number, place) in sorted.enumerated() {
        let start = rows[sorted[first]]
        if start.firstDay != rows[place].firstDay || start.version != rows[place].version {
          (first, last) = (number, sorted[number - 1])
        }
        previous[place] = last
      }
    }
    return previous
  }
}
