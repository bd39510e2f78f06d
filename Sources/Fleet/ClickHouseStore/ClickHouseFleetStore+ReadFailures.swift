import FirstlightModel
import FleetModel

/// Files whose readers had to be stopped.
extension ClickHouseFleetStore {
  package func note(_ failure: ReadFailure, of build: BuildKey) async throws {
    var rows = RowWriter()
    rows.begin(build)
    rows.add(failure.file)
    rows.add(failure.reason)
    rows.add(UInt32(clamping: failure.attempts))
    rows.add(failure.at)
    let table = rows
    try await on(try await shard(of: build)) { server throws(Failure) in
      try await server.insert(table, into: "read_failure")
    }
  }

  package func readFailure(ofFile file: String) async throws -> ReadFailure? {
    try await readFailures("file = \(SQLText.quoted(file))").max {
      ($0.failure.attempts, $0.failure.at) < ($1.failure.attempts, $1.failure.at)
    }?.failure
  }

  /// The last one of each build that a condition holds for.
  func lastReadFailures(
    _ condition: String
  ) async throws(Failure) -> [BuildKey: ReadFailure] {
    Dictionary(try await readFailures(condition).map { ($0.build, $0.failure) }) {
      $0.at < $1.at ? $1 : $0
    }
  }

  private func readFailures(
    _ condition: String
  ) async throws(Failure) -> [(build: BuildKey, failure: ReadFailure)] {
    try await rows(
      """
      SELECT build_id, recorder, file, reason, attempts, at FROM read_failure FINAL
      WHERE \(condition)
      """, allowingGaps: true
    ) { row throws(Failure) in
      (
        try row.build(),
        ReadFailure(
          file: try row.text(), reason: try row.text(), attempts: try row.number(UInt32.self),
          at: try row.double())
      )
    }
  }
}
