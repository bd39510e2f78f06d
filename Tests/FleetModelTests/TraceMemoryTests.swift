import FleetModel
import Testing

/// Which traces a store forgets whose clock may be wrong.
@Suite struct TraceMemoryTests {
  private static func days(_ numbers: some Sequence<Int32>) -> [FleetDay] {
    numbers.map(FleetDay.init(number:))
  }

  @Test func traces30DaysOldAreForgotten() {
    let known = Self.days(20_000...20_060)
    for today in [20_060, 20_061] as [Int32] {
      let horizon = TraceMemory.horizon(today: FleetDay(number: today), known: known)
      #expect(horizon == FleetDay(number: today - 30) || horizon == FleetDay(number: 20_031))
    }
  }

  @Test func aClockThatIsAheadForgetsNothing() {
    let known = Self.days(20_000...20_020)
    let ahead = FleetDay(number: 20_400)
    #expect(TraceMemory.horizon(today: ahead, known: known + [ahead]).number == 0)
    // Also where there is much to remember: what came in the last weeks stays.
    let many = Self.days(20_000...20_060)
    #expect(TraceMemory.horizon(today: ahead, known: many + [ahead]).number <= 20_032)
    // Nor what came while it was ahead, or behind.
    let today = FleetDay(number: 20_061)
    #expect(TraceMemory.horizon(today: today, known: many + [ahead]).number <= 20_032)
    #expect(TraceMemory.day(today: FleetDay(number: 0), known: many + [ahead]).number == 20_060)
    #expect(TraceMemory.day(today: today, known: many + [ahead]) == today)
    #expect(TraceMemory.day(today: today, known: []) == today)
  }

  @Test func aQuietStoreRemembersLonger() {
    let known = Self.days([100, 200, 300])
    #expect(TraceMemory.horizon(today: FleetDay(number: 20_000), known: known).number == 0)
  }
}
