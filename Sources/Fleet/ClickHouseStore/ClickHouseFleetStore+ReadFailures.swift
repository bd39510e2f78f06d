import FirstlightModel
import FleetModel

/// Files whose readers had to be stopped.
extension ClickHouseFleetStore {
  package func note(_ failure: ReadFailure, of build: BuildKey) async throws {
    try await run { () async throws in
      var rows = RowWriter()
      rows.begin(0, build)
      rows.add(failure.file)
      rows.add(failure.reason)
      rows.add(UInt32(clamping: failure.attempts))
      rows.add(failure.at)
      try await self.insert(rows, into: "read_failure", of: build)
    }
  }

  package func readFailure(ofFile file: String) async throws -> ReadFailure? {
    try await run(allowingGaps: true) { () async throws in
      try await self.readFailures("file = \(SQLText.quoted(file))").max {
        ($0.failure.attempts, $0.failure.at) < ($1.failure.attempts, $1.failure.at)
      }?.failure
    }
  }

  /// The last one of each build that a condition holds for.
  func lastReadFailures(
    _ condition: String
  ) async throws(ClickHouseError) -> [BuildKey: ReadFailure] {
    Dictionary(try await readFailures(condition).map { ($0.build, $0.failure) }) {
      $0.at < $1.at ? $1 : $0
    }
  }

  private func readFailures(
    _ condition: String
  ) async throws(ClickHouseError) -> [(build: BuildKey, failure: ReadFailure)] {
    try await first.read(
      "SELECT build_id, recorder, file, reason, attempts, at FROM read_failure WHERE \(condition)"
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
