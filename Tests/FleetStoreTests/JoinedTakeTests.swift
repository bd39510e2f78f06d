import FirstlightModel
import FleetModel
import TestSupport
import Testing

/// Batches of several publishers that are taken together.
@Suite struct JoinedTakeTests {
  /// Some rows are early, some of a day that is closed meanwhile, some come twice.
  @Test(arguments: StoreKind.available, [1, 2, 3, 4] as [UInt64])
  func theStoreIsTheSameAsAfterOneByOne(kind: StoreKind, seed: UInt64) async throws {
    var hosts = ExampleHosts(seed: seed)
    for number in 0..<40 { try hosts.run(number) }
    let today = FleetDay(number: ExampleHosts.day.number + 1)
    var left = hosts.shuffled()
    let (joining, single) = (try await kind.make(), try await kind.make())
    var receipts: [StateReceipt] = []
    while !left.isEmpty {
      let group = Array(left.prefix(Int.random(in: 1...12, using: &hosts.generator)))
      left.removeFirst(group.count)
      let results = await joining.take(group, on: today)
      #expect(results.count == group.count)
      for (message, result) in zip(group, results) {
        let receipt = try result.get()
        #expect(try await single.take(message, on: today) == receipt)
        receipts.append(receipt)
      }
      // Once for all.
      if receipts.last?.firstOpenDay != today, receipts.count >= 8 {
        for store in [joining, single] { #expect(try await store.close(before: today) == 1) }
      }
    }
    #expect(receipts.contains { !$0.places(.early).isEmpty })
    #expect(receipts.contains { !$0.places(.refused, .late).isEmpty })
    #expect(receipts.contains { $0.known > 0 } && receipts.contains { $0.samples > 0 })
    #expect(try await joining.size() == single.size())
    for build in ExampleHosts.guards.keys {
      let filters = [
        FleetQuery(), FleetQuery(version: "1.2"), FleetQuery(days: today...today),
      ]
      for filter in filters {
        let answers = [
          try await joining.coverage(of: build, in: filter),
          try await single.coverage(of: build, in: filter),
        ]
        #expect(answers[0]?.totals == answers[1]?.totals)
        let isSame = answers[0]?.guards == answers[1]?.guards
        #expect(isSame && answers[0]?.callers == answers[1]?.callers)
        let series = try await joining.series(of: build, in: filter)
        #expect(try await single.series(of: build, in: filter) == series)
      }
      let traces = try await single.traces(of: build).map(\.id)
      #expect(try await joining.traces(of: build).map(\.id) == traces)
    }
  }

  @Test(arguments: StoreKind.available)
  func nothingIsTakenOfNoBatches(kind: StoreKind) async throws {
    let store = try await kind.make()
    #expect(await store.take([PublishedStates](), on: ExampleHosts.today).isEmpty)
  }
}
