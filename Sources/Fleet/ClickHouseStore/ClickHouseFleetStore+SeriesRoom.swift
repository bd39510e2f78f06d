import FirstlightModel
import FleetModel

extension ClickHouseFleetStore {
  /// Leaves out the rows for which a server has no room.
  /// - Parameter keys: of rows that are to be stored.
  /// - Returns: the indices of the rows that may be.
  func admitted(
    _ keys: [StateKey], _ server: ClickHouseServer
  ) async throws(Failure) -> Set<Int> {
    if keys.isEmpty { return [] }
    let claims = Set(keys.map(Claim.init)).sorted()
    let days = Set(keys.map(\.day)).sorted().map(SQLText.day)
    let stored = try await server.read(
      """
      SELECT \(SQLText.stateKey) FROM sums
      WHERE \(SQLText.isOf(claims)) AND day IN (\(days.joined(separator: ", ")))
      GROUP BY \(SQLText.stateKey)
      """
    ) { row throws(Failure) in try row.stateKey() }
    var rooms = Dictionary(grouping: stored, by: Place.init).mapValues { keys in
      SeriesRoom(keys.lazy.map(\.labels))
    }
    return Set(
      keys.indices.filter { index in
        rooms[Place(keys[index]), default: SeriesRoom([])].admit(keys[index].labels)
      })
  }

  private struct Place: Hashable {
    var claim: Claim
    var day: FleetDay

    init(_ key: StateKey) { (claim, day) = (Claim(key), key.day) }
  }

  package func crowdedDays(of build: BuildKey) async throws -> [FleetDay] {
    guard let claim = try await truth(of: build) else { return [] }
    let keys = try await liveRows(
      """
      SELECT \(SQLText.stateKey) FROM \(Self.live([], where: SQLText.isOf([claim])))
      GROUP BY \(SQLText.stateKey)
      """, allowingGaps: true
    ) { row throws(Failure) in try row.stateKey() }
    return Dictionary(grouping: Set(keys), by: \.day)
      .filter { $0.value.count >= SeriesRoom.limit }.keys.sorted()
  }
}
