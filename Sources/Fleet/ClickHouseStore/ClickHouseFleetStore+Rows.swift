import FirstlightModel
import FleetModel

/// A row of a publisher.
struct PublishedRow: Sendable {
  /// As in the column.
  var publisher: String
  var state: SeriesState

  struct Key: Hashable, Sendable {
    var publisher: String
    var state: StateKey
  }

  var key: Key { Key(publisher: publisher, state: state.key) }
}

extension PublishedStates {
  /// Claims of its rows, and of its samples' programs, about builds.
  var claims: Set<Claim> {
    Set(states.map { Claim($0.key) } + samples.compactMap(\.programClaim))
  }
}

/// Writes states as rows of `sums`.
extension ClickHouseFleetStore {
  /// A server refuses inserts into more than a hundred partitions, and holds each in memory.
  private static let daysAtATime = 50
  private static let bytesAtATime = 32 << 20

  static func inserts(of all: [PublishedRow], received: FleetDay) -> [RowWriter] {
    var inserts: [RowWriter] = []
    var rows = RowWriter()
    var days: Set<FleetDay> = []
    for row in all.sorted(by: { $0.state.key.day < $1.state.key.day }) {
      let day = row.state.key.day
      let isOtherDay = !days.contains(day) && days.count >= daysAtATime
      if isOtherDay || rows.bytes.count >= bytesAtATime {
        inserts.append(rows)
        (rows, days) = (RowWriter(), [])
      }
      days.insert(day)
      add(row, received, to: &rows)
    }
    return inserts + [rows]
  }

  private static func add(_ row: PublishedRow, _ received: FleetDay, to rows: inout RowWriter) {
    let state = row.state
    rows.begin(Claim(state.key))
    rows.add(state.key.day)
    rows.add(state.key.labels.version)
    rows.add(state.key.labels.text)
    rows.add(row.publisher)
    rows.add(state.version.rawValue)
    rows.add(received)
    rows.add(state.isExecutable)
    rows.add(UInt32(state.sums.calledCount))
    add(state.totals, to: &rows)
    let names = state.names.uses.sorted { $0.key < $1.key }
    rows.add(array: names.map(\.key))
    rows.add(array: names.map(\.value.path))
    rows.add(array: names.map { UInt64(clamping: $0.value.runs) })
    addStarts(of: state, to: &rows)
    let called = state.sums.called
    rows.add(array: called.map(\.0))
    rows.add(array: called.map { UInt64(clamping: $0.1.runs) })
    rows.add(array: called.map { UInt64(clamping: $0.1.hosts) })
    rows.add(array: called.map { hour($0.1.firstSeen, of: state.key.day) })
    rows.add(array: called.map { hour($0.1.lastSeen, of: state.key.day) })
    rows.add(array: Array(state.unwatched))
  }

  private static func add(_ totals: SeriesTotals, to rows: inout RowWriter) {
    for number in [totals.runs, totals.hosts, totals.programRuns, totals.processes] {
      rows.add(UInt64(clamping: number))
    }
    // An integer, so that sums do not depend on the order.
    rows.add((max(0, totals.seconds) * 1e6).rounded())
    for number in [
      totals.drops, totals.uncommitted, totals.lostImages, totals.unreadableSegments,
    ] {
      rows.add(UInt64(clamping: number))
    }
  }

  private static func addStarts(of state: SeriesState, to rows: inout RowWriter) {
    let stages = state.stages.histograms.map { ($0.key.rawValue, $0.value) }
    let all = [("", state.startups)] + stages.sorted { $0.0 < $1.0 }
    let starts = all.flatMap { stage, histogram in
      histogram.counts.sorted { $0.key < $1.key }.map {
        (stage, $0.key, UInt64(clamping: $0.value))
      }
    }
    rows.add(array: starts.map(\.0))
    rows.add(array: starts.map(\.1))
    rows.add(array: starts.map(\.2))
  }

  private static func hour(_ moment: Double, of day: FleetDay) -> UInt8 {
    UInt8(min(max(0, ((moment - day.start) / 3600).rounded(.down)), 23))
  }
}
