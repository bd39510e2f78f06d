import FirstlightModel
import FleetModel

/// Stores publishers' states.
extension ClickHouseFleetStore {
  /// A row of a publisher.
  struct PublishedKey: Hashable, Sendable {
    /// As in the column.
    var publisher: String
    var state: StateKey
  }

  package func take(
    _ published: [PublishedStates], on today: FleetDay
  ) async -> [Result<StateReceipt, Failure>] {
    if published.isEmpty { return [] }
    do throws(Failure) {
      return try await on { server throws(Failure) in
        var server = server
        server.timeout = 30
        return try await take(published, on: today, server)
      }.map { .success($0) }
    } catch {
      return published.map { _ in .failure(error) }
    }
  }

  private func take(
    _ published: [PublishedStates], on today: FleetDay, _ server: ClickHouseServer
  ) async throws(Failure) -> [StateReceipt] {
    let start = ContinuousClock.now
    let claims = published.map { published in
      Set(published.states.map { Claim($0.key) } + published.samples.compactMap(\.programClaim))
    }
    let all = Set(claims.joined())
    let loaded = published.flatMap { $0.samples.flatMap { $0.images.map(\.build) } }
    let rules = try await rules(for: Set(all.map(\.build) + loaded), today, server)
    var claimRooms = ClaimRooms()
    var (receipts, rows) = try await newRows(published, rules, &claimRooms, server)
    let sampled = try await sampleKeys(SQLText.isOf(all.sorted()), server)
    // Without samples, which are rare, no row of theirs is looked up.
    if !loaded.isEmpty { claimRooms.add(try await self.claims(of: Set(loaded), server)) }
    let samples = SampleIntake(published, known: sampled, &claimRooms, rules)
    for place in published.indices {
      receipts[place].samples = samples.new.count { $0.value.place == place }
      receipts[place].sampleLimits = samples.limits(of: claims[place])
    }
    try await server.insert(samples.rows(received: today), into: "samples")
    // The last inserts: an existing row implies that its samples are stored.
    for rows in Self.inserts(of: rows, received: today) {
      try await server.insert(rows, into: "sums")
    }
    // No row may arrive after its day was added up, even if this process was suspended.
    if tuning.closingDelay > 0, start.duration(to: .now) > .seconds(tuning.closingDelay) / 2 {
      throw Failure(.unavailable, "\(name): took too long to write")
    }
    return receipts
  }

  private typealias NewRow = (key: PublishedKey, state: SeriesState)

  /// The rows that are newer than the store's, without duplicate keys of a publisher.
  private func newRows(
    _ published: [PublishedStates], _ rules: StateRules, _ claimRooms: inout ClaimRooms,
    _ server: ClickHouseServer
  ) async throws(Failure) -> (receipts: [StateReceipt], rows: [NewRow]) {
    var receipts: [StateReceipt] = []
    var taken: [(sender: Int, place: Int, row: NewRow)] = []
    for (sender, published) in published.enumerated() {
      let (receipt, places) = rules.decide(on: published.states)
      let publisher = published.publisher.description
      taken += places.map { place in
        let state = published.states[place]
        return (sender, place, (PublishedKey(publisher: publisher, state: state.key), state))
      }
      receipts.append(receipt)
    }
    var versions = try await versions(taken.map(\.row.key), server)
    // The labels of a stored row have room already.
    let new = taken.map(\.row.key).filter { versions[$0] == nil }.map(\.state)
    claimRooms.add(try await claims(of: Set(new.map(\.build)), server))
    var rooms = try await rooms(for: new, server)
    var newest: [PublishedKey: Int] = [:]
    for (index, (sender, place, row)) in taken.enumerated() {
      let (state, stored) = (row.state, versions[row.key])
      if rules.wasRemoved(state.key, stored: stored, follows: state.follows) {
        receipts[sender].refusals[place] = RowRefusal(.removed)
        continue
      }
      let room = Room(state.key)
      guard
        stored != nil
          || claimRooms.admit(room.claim)
            && rooms[room, default: SeriesRoom([])].admit(state.key.labels)
      else {
        receipts[sender].refusals[place] = RowRefusal(.crowded)
        continue
      }
      switch state.version.relation(to: stored, follows: state.follows) {
      case .known: receipts[sender].known += 1
      case .foreign: receipts[sender].refusals[place] = RowRefusal(.foreign)
      case .newer:
        receipts[sender].added += 1
        versions[row.key] = state.version
        newest[row.key] = index
      }
    }
    return (receipts, newest.values.sorted().map { taken[$0].row })
  }

  private struct Room: Hashable {
    var claim: Claim
    var day: FleetDay

    init(_ key: StateKey) { (claim, day) = (Claim(key), key.day) }
  }

  private func rooms(
    for keys: [StateKey], _ server: ClickHouseServer
  ) async throws(Failure) -> [Room: SeriesRoom] {
    if keys.isEmpty { return [:] }
    let days = Set(keys.map(\.day)).sorted().map(SQLText.day)
    let stored = try await server.read(
      """
      SELECT DISTINCT \(SQLText.stateKey) FROM sums
      WHERE \(SQLText.isOf(Set(keys.map(Claim.init)).sorted()))
        AND day IN (\(days.joined(separator: ", ")))
      """
    ) { row throws(Failure) in try row.stateKey() }
    return Dictionary(grouping: stored, by: Room.init).mapValues {
      SeriesRoom($0.lazy.map(\.labels))
    }
  }

  /// The claims about some builds that the store has.
  private func claims(
    of builds: Set<BuildKey>, _ server: ClickHouseServer
  ) async throws(Failure) -> [Claim] {
    if builds.isEmpty { return [] }
    let isOf = SQLText.isOf(builds.sorted())
    let parts = ["sums", "closed", "function_table", "samples"].map {
      "SELECT DISTINCT \(SQLText.claim) FROM \($0) WHERE \(isOf)"
    }
    return try await server.read(
      "SELECT DISTINCT * FROM (\(parts.joined(separator: " UNION ALL ")))"
    ) { row throws(Failure) in try row.claim() }
  }

  /// The rules for the rows that a server accepts.
  private func rules(
    for builds: Set<BuildKey>, _ today: FleetDay, _ server: ClickHouseServer
  ) async throws(Failure) -> StateRules {
    StateRules(
      firstOpenDay: try await days(server).open,
      dropped: try await dropped(SQLText.isOf(builds.sorted()), server), today: today)
  }

  /// A server refuses inserts into more than a hundred partitions, and holds each in memory.
  private static let daysAtATime = 50
  private static let bytesAtATime = 32 << 20

  private static func inserts(of all: [NewRow], received: FleetDay) -> [RowWriter] {
    var inserts: [RowWriter] = []
    var rows = RowWriter()
    var days: Set<FleetDay> = []
    for (key, state) in all.sorted(by: { $0.state.key.day < $1.state.key.day }) {
      let isOtherDay = !days.contains(state.key.day) && days.count >= daysAtATime
      if isOtherDay || rows.bytes.count >= bytesAtATime {
        inserts.append(rows)
        (rows, days) = (RowWriter(), [])
      }
      days.insert(state.key.day)
      rows.add(state, of: key.publisher, received: received)
    }
    return inserts + [rows]
  }
}

/// Looks up the stored versions of rows.
extension ClickHouseFleetStore {
  package func versions(
    of publisher: PublisherID, _ rows: [(key: StateKey, version: RowVersion)]
  ) async throws -> [RowVersion?] {
    let keys = rows.map { PublishedKey(publisher: publisher.description, state: $0.key) }
    let (rules, known) = try await on { server throws(Failure) in
      let rules = try await self.rules(
        for: Set(rows.map(\.key.build)), FleetDay(number: 0), server)
      let open = keys.filter { !rules.isClosed($0.state.day) }
      return (rules, try await self.versions(open, server))
    }
    return zip(keys, rows).map { key, row in
      let isGone = rules.wasRemoved(key.state, stored: known[key], follows: row.version)
      return rules.isClosed(key.state.day) || isGone ? row.version : known[key]
    }
  }

  /// Number of rows in one statement.
  private static let keysAtATime = 2000

  /// - Complexity: one look-up in the primary key for each row.
  private func versions(
    _ keys: [PublishedKey], _ server: ClickHouseServer
  ) async throws(Failure) -> [PublishedKey: RowVersion] {
    let columns = "\(SQLText.stateKey), publisher"
    var versions: [PublishedKey: RowVersion] = [:]
    for start in stride(from: 0, to: keys.count, by: Self.keysAtATime) {
      let tuples = keys[start..<min(keys.count, start + Self.keysAtATime)].map { key in
        "\(SQLText.values(key.state)),\(SQLText.quoted(key.publisher))"
      }
      let rows = try await server.read(
        """
        SELECT \(columns), max(row_version) FROM sums
        WHERE \(SQLText.isIn("(\(columns))", tuples)) GROUP BY \(columns)
        """
      ) { row throws(Failure) in
        let key = try row.stateKey()
        return (
          PublishedKey(publisher: try row.text(), state: key),
          RowVersion(rawValue: try row.integer(UInt64.self))
        )
      }
      versions.merge(rows) { max($0, $1) }
    }
    return versions
  }
}
