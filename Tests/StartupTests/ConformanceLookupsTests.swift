import Startup
import Testing

@Suite struct ConformanceLookupsTests {
  private func lookup(
    _ type: String, _ duration: UInt64, stops: Int = 1, thread: UInt32 = 1, parent: Int? = nil,
    scanned: Bool? = false, conforms: Bool? = true, line: Int? = nil
  ) -> ConformanceLookups.Lookup {
    ConformanceLookups.Lookup(
      type: type, proto: "P", thread: thread, parent: parent, duration: duration, stops: stops,
      scanned: scanned, conforms: conforms,
      caller: line.map { .init(function: "f", file: "f.swift", line: $0) })
  }

  /// Answers from the cache show what a stop costs.
  @Test func theCostOfStopsIsSubtracted() {
    let cached = (0..<5).map { _ in lookup("cached", 1000) }
    let lookups = ConformanceLookups(
      cached + [lookup("scanned", 20_000, stops: 3, scanned: true)], mainThread: 1, cpuTime: 170_000
    )
    #expect(lookups.lookups.map(\.own) == [0, 0, 0, 0, 0, 17_000])
    #expect(lookups.share == 0.1)
    #expect(lookups.scans == 1)
  }

  @Test func fewAnswersFromTheCacheShowNoCost() {
    let lookups = ConformanceLookups([lookup("cached", 1000)], mainThread: 1, cpuTime: nil)
    #expect(lookups.duration == 1000)
    #expect(lookups.share == nil)
  }

  /// On a busy machine look-ups wait, and no CPU time of the start says how long.
  @Test func lookupsLongerThanTheCPUTimeHaveNoShare() {
    #expect(ConformanceLookups([lookup("a", 11)], mainThread: 1, cpuTime: 10).share == nil)
  }

  @Test func timeOfAnInnerLookupIsNotItsParents() {
    let lookups = ConformanceLookups(
      [
        lookup("outer", 10_000, stops: 5, scanned: true),
        lookup("inner", 4000, stops: 3, thread: 1, parent: 0, scanned: true),
        lookup("elsewhere", 500, thread: 2, conforms: nil),
      ], mainThread: 1, cpuTime: nil)
    #expect(lookups.lookups.map(\.own) == [6000, 4000, 500])
    #expect(lookups.mainThreadDuration == 10_000)
    #expect(lookups.duration == 10_500)
    #expect(lookups.positive == 2)
    #expect(lookups.negative == 0)
  }

  @Test func pairsAreSortedByCostWithTheCallerOfTheLongestLookup() {
    let lookups = ConformanceLookups(
      [
        lookup("a", 100, scanned: true, line: 1), lookup("b", 5000, scanned: true, line: 2),
        lookup("a", 7000, scanned: true, line: 3), lookup("a", 10, conforms: nil, line: 4),
      ], mainThread: 1, cpuTime: nil)
    #expect(lookups.pairs.map(\.type) == ["a", "b"])
    #expect(lookups.pairs[0].count == 3)
    #expect(lookups.pairs[0].scans == 2)
    #expect(lookups.pairs[0].caller?.line == 3)
    #expect(lookups.pairs[0].conforms == true)
  }

  @Test func withoutTheMarkOfAScanTheirNumberIsUnknown() {
    let lookups = ConformanceLookups(
      [lookup("a", 100, scanned: nil)], mainThread: 1, cpuTime: nil)
    #expect(lookups.scans == nil)
    #expect(lookups.pairs[0].scans == nil)
  }
}
