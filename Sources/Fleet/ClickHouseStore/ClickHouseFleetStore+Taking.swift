import FirstlightModel
import FleetModel
import Synchronization

/// Stores publishers' states. A publisher's rows, samples and callers go to one shard.
extension ClickHouseFleetStore {
  package func take(
    _ published: [PublishedStates], on today: FleetDay
  ) async -> [Result<StateReceipt, Failure>] {
    let shards: [ShardServers.Shard]
    do throws(Failure) { shards = try await servers.shards() } catch {
      return published.map { _ in .failure(error) }
    }
    let places = Dictionary(grouping: published.indices) { place in
      Self.shard(of: published[place].publisher, of: shards.count)
    }
    return await withTaskGroup(of: [(Int, Result<StateReceipt, Failure>)].self) { group in
      for (shard, places) in places {
        group.addTask {
          let published = places.map { published[$0] }
          do throws(Failure) {
            let receipts = try await self.on(shards[shard]) { server throws(Failure) in
              var server = server
              server.timeout = 30
              return try await self.take(published, on: today, server)
            }
            return zip(places, receipts).map { ($0, .success($1)) }
          } catch {
            return places.map { ($0, .failure(error)) }
          }
        }
      }
      var results: [Int: Result<StateReceipt, Failure>] = [:]
      for await shard in group { results.merge(shard) { $1 } }
      return published.indices.compactMap { results[$0] }
    }
  }

  private func take(
    _ published: [PublishedStates], on today: FleetDay, _ server: ClickHouseServer
  ) async throws(Failure) -> [StateReceipt] {
    let start = ContinuousClock.now
    let claims = Set(published.flatMap(\.claims))
    let loaded = published.flatMap { $0.samples.flatMap { $0.images.map(\.build) } }
    let rules = try await rules(for: Set(claims.map(\.build) + loaded), today, server)
    var (receipts, rows) = try await newRows(published, rules, server)
    let samples = SampleIntake(
      published, known: try await sampleKeys(SQLText.isOf(claims.sorted()), server), rules)
    for (place, published) in published.enumerated() {
      receipts[place].samples = samples.new.count { $0.value.place == place }
      receipts[place].sampleLimits = samples.limits(of: published.claims)
    }
    try await server.insert(samples.rows(received: today), into: "samples")
    try await writeCallers(of: rows.map(\.state), rules, server)
    // The last insert: an existing row implies that its callers and samples are stored.
    for rows in Self.inserts(of: rows, received: today) {
      try await server.insert(rows, into: "sums")
    }
    // So that no row arrives after its day was added up, in case this process was suspended.
    if tuning.closingDelay > 0, start.duration(to: .now) > .seconds(tuning.closingDelay) / 2 {
      throw Failure(.unavailable, "\(name): took too long to write")
    }
    return receipts
  }

  /// The rows that are newer than the server's, without duplicate keys of a publisher.
  private func newRows(
    _ published: [PublishedStates], _ rules: StateRules, _ server: ClickHouseServer
  ) async throws(Failure) -> (receipts: [StateReceipt], rows: [PublishedRow]) {
    var receipts: [StateReceipt] = []
    var taken: [(sender: Int, place: Int, row: PublishedRow)] = []
    for (sender, published) in published.enumerated() {
      let (receipt, places) = rules.decide(on: published.states)
      let publisher = published.publisher.description
      taken += places.map {
        (sender, $0, PublishedRow(publisher: publisher, state: published.states[$0]))
      }
      receipts.append(receipt)
    }
    var versions = try await versions(taken.map(\.row.key), server)
    var newest: [PublishedRow.Key: Int] = [:]
    // The labels of a stored row have their room.
    let new = taken.indices.filter { versions[taken[$0].row.key] == nil }
    let admitted = Set(
      try await admitted(new.map { taken[$0].row.state.key }, server).map { new[$0] })
    for (index, (sender, place, row)) in taken.enumerated() {
      let (state, stored) = (row.state, versions[row.key])
      if rules.wasRemoved(state.key, stored: stored, follows: state.follows) {
        receipts[sender].removed.append(place)
        continue
      }
      guard stored != nil || admitted.contains(index) else {
        receipts[sender].crowded.append(place)
        continue
      }
      switch state.version.relation(to: stored, follows: state.follows) {
      case .known: receipts[sender].known += 1
      case .foreign: receipts[sender].foreign.append(place)
      case .newer:
        receipts[sender].added += 1
        versions[row.key] = state.version
        newest[row.key] = index
      }
    }
    return (receipts, newest.values.sorted().map { taken[$0].row })
  }

  /// The rules for the rows that a server accepts.
  func rules(
    for builds: Set<BuildKey>, _ today: FleetDay, _ server: ClickHouseServer
  ) async throws(Failure) -> StateRules {
    let rows = try await server.read(
      """
      SELECT 1 AS what, build_id AS id, recorder AS name, program AS file, before AS day,
        reason AS cause
      FROM dropped FINAL WHERE \(SQLText.isOf(builds.sorted()))
      UNION ALL
      SELECT 0 AS what, '' AS id, '' AS name, '' AS file, max(day) AS day, '' AS cause
      FROM open_days
      """
    ) { row throws(Failure) in
      guard try row.bool() else {
        for _ in 0..<3 { _ = try row.text() }
        let day = try row.day()
        _ = try row.text()
        return (day, DroppedEvidence?.none)
      }
      let dropped = try row.dropped()
      return (FleetDay(number: 0), dropped)
    }
    let dropped = rows.compactMap(\.1).map { ($0.build, $0) }
    return StateRules(
      firstOpenDay: rows.map(\.0).max() ?? FleetDay(number: 0),
      dropped: Dictionary(dropped) { $0.before > $1.before ? $0 : $1 }, today: today)
  }

  private func writeCallers(
    of states: [SeriesState], _ rules: StateRules, _ server: ClickHouseServer
  ) async throws(Failure) {
    var new: [Claim: [UInt32: UInt64]] = [:]
    for state in states where !state.callers.isEmpty {
      let claim = Claim(state.key)
      let callers = writtenCallers.missing(
        state.callers, of: claim, since: rules.dropped[claim.build]?.before)
      new[claim, default: [:]].merge(callers) { min($0, $1) }
    }
    var rows = RowWriter()
    for (claim, callers) in new {
      for (guardIndex, address) in callers {
        rows.begin(claim)
        rows.add(guardIndex)
        rows.add(address)
      }
    }
    try await server.insert(rows, into: "callers")
    for (claim, callers) in new {
      writtenCallers.add(callers, of: claim, since: rules.dropped[claim.build]?.before)
    }
  }
}

/// Callers that this process has written: the hosts of a fleet send mostly the same ones.
final class WrittenCallers: Sendable {
  private struct Written {
    /// `DroppedEvidence.before` of the build at the time of writing: a later removal deletes the callers.
    var since: FleetDay?
    var addresses: [UInt32: UInt64] = [:]
  }

  /// Limits the memory to about 50 MB.
  private static let limit = 1_000_000
  private let written = Mutex<(claims: [Claim: Written], count: Int)>(([:], 0))

  /// The callers that are new, or have lower addresses than those written.
  func missing(
    _ callers: [UInt32: UInt64], of claim: Claim, since: FleetDay?
  ) -> [UInt32: UInt64] {
    let known = written.withLock { $0.claims[claim] }
    guard let known, known.since == since else { return callers }
    return callers.filter { $0.value < known.addresses[$0.key] ?? .max }
  }

  func add(_ callers: [UInt32: UInt64], of claim: Claim, since: FleetDay?) {
    written.withLock { all in
      if all.count + callers.count > Self.limit { all = ([:], 0) }
      var written = all.claims.removeValue(forKey: claim) ?? Written(since: since)
      all.count -= written.addresses.count
      if written.since != since { written = Written(since: since) }
      written.addresses.merge(callers) { min($0, $1) }
      all.count += written.addresses.count
      all.claims[claim] = written
    }
  }

  func forget(_ build: BuildKey) {
    written.withLock { all in
      all.claims = all.claims.filter { $0.key.build != build }
      all.count = all.claims.values.reduce(0) { $0 + $1.addresses.count }
    }
  }
}
