import FirstlightModel
import FleetModel
import TestSupport
import Testing

/// What a ledger sends, and what it asks, as bytes.
@Suite struct StateBatchTests {
  private static let secret = StateFixture.secret

  @Test(arguments: 0..<20 as Range<UInt64>)
  func batchesSurviveTheRoundTrip(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    let states = (0..<Int.random(in: 0...9, using: &random)).map { _ in
      StateFixture.state(&random)
    }
    let traces = (0..<UInt64.random(in: 0...4, using: &random)).map(FleetTraceTests.trace)
    var follows: [Int: RowVersion] = [:]
    for place in states.indices where Bool.random(using: &random) {
      follows[place] = RowVersion(rawValue: .random(in: 1 ... .max, using: &random))
    }
    let batch = try StateBatch(
      StateBatch.encode(
        Self.secret, rows: states.map { $0.encoded() }, follows: follows,
        samples: traces.map(StateBatch.encode(sample:))))
    #expect(batch.secret == Self.secret)
    let sent = states.enumerated().map { place, state in
      var state = state
      state.follows = follows[place] ?? .none
      return state
    }
    #expect(try batch.rows.indices.map { try batch.row($0) } == sent)
    #expect(try batch.samples.indices.map { try batch.sample($0) } == traces)
  }

  @Test func aCutOffBatchIsRefusedAtEveryLength() {
    var random = SplitMix64(state: 1)
    let bytes = StateBatch.encode(
      Self.secret, rows: [StateFixture.state(&random).encoded()],
      samples: [StateBatch.encode(sample: FleetTraceTests.trace(1))])
    for length in bytes.indices {
      #expect(throws: Failure.self) { try StateBatch(Array(bytes[..<length])) }
    }
    #expect(throws: Failure.self) { try StateBatch(bytes + [0]) }
  }

  @Test func aDamagedRowIsRefusedAndNoOther() throws {
    var random = SplitMix64(state: 2)
    let row = StateFixture.state(&random)
    let batch = try StateBatch(
      StateBatch.encode(Self.secret, rows: [[1, 2, 3], row.encoded(), []], samples: [[9]]))
    let failure = #expect(throws: Failure.self) { try batch.row(0) }
    #expect(failure?.problem.hasPrefix("row 1 of the batch: offset ") == true)
    #expect(try batch.row(1) == row)
    #expect(throws: Failure.self) { try batch.row(2) }
    #expect(throws: Failure.self) { try batch.sample(0) }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func damageNeverEndsTheReader(seed: UInt64) {
    var random = SplitMix64(state: seed)
    let whole = StateBatch.encode(
      Self.secret, rows: (0..<3).map { _ in StateFixture.state(&random).encoded() },
      samples: [StateBatch.encode(sample: FleetTraceTests.trace(1))])
    var read = 0
    for _ in 0..<300 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
      guard let batch = try? StateBatch(bytes) else { continue }
      read += batch.rows.indices.count { (try? batch.row($0)) != nil }
      read += batch.samples.indices.count { (try? batch.sample($0)) != nil }
    }
    #expect(read > 0)
  }

  @Test func moreRowsThanTravelTogetherAreRefused() {
    let rows = Array(repeating: [UInt8](), count: StateBatch.rowLimit + 1)
    #expect(throws: Failure.self) { try StateBatch(StateBatch.encode(Self.secret, rows: rows)) }
  }

  @Test func aTraceThatContradictsItselfIsNoSample() {
    var twice = FleetTraceTests.trace(1)
    twice.images.append(twice.images[0])
    twice.images[2].guardCount += 1
    let contradicting = StateBatch.encode(sample: twice)
    let failure = #expect(throws: Failure.self) {
      try contradicting.withUnsafeBytes { try StateBatch.sample($0) }
    }
    #expect(failure?.problem.contains("100001 guards in this trace, and 100000") == true)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func versionsSurviveTheRoundTrip(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    let rows = (0..<Int.random(in: 0...30, using: &random)).map { _ in
      (
        key: StateFixture.key(&random),
        version: RowVersion(rawValue: .random(in: .min ... .max, using: &random))
      )
    }
    let bytes = StateVersions(secret: Self.secret, rows: rows).encoded()
    let back = try StateVersions(decoding: bytes)
    #expect(back.secret == Self.secret)
    #expect(back.rows.map(\.key) == rows.map(\.key))
    #expect(back.rows.map(\.version) == rows.map(\.version))
    for length in bytes.indices {
      #expect(throws: Failure.self) { try StateVersions(decoding: Array(bytes[..<length])) }
    }
    for _ in 0..<200 {
      var damaged = bytes
      damaged[.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
      if let read = try? StateVersions(decoding: damaged) {
        #expect(read.rows.count * 7 <= damaged.count)
      }
    }
  }

  @Test func secretsAndPublishersHaveTheirLength() {
    #expect(PublisherID([1, 2, 3]) == nil && LedgerSecret([1, 2, 3]) == nil)
    #expect(LedgerSecret() != LedgerSecret())
    #expect(
      PublisherID(UInt8(0)..<32)?.description
        == "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
  }
}
