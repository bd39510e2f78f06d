import FleetModel
import Testing

/// A clock that is ahead closes and removes nothing before it has been so for days.
@Suite struct AgreedDayTests {
  private static func agreed(_ today: Int32, _ received: [Int32]) -> Int32? {
    AgreedDay.of(
      today: FleetDay(number: today), received: received.map(FleetDay.init(number:)))?.number
  }

  @Test func aDayCountsWhenThreeAgree() {
    #expect(Self.agreed(20_000, []) == nil)
    #expect(Self.agreed(20_000, [20_000, 19_999]) == nil)
    #expect(Self.agreed(20_000, [20_000, 19_999, 19_998]) == 19_998)
    #expect(Self.agreed(20_000, [19_998, 20_000, 19_999]) == 19_998)
  }

  @Test func oneDayIsOneHoweverOftenRowsCame() {
    #expect(Self.agreed(20_000, [20_000, 20_000, 20_000, 19_999]) == nil)
  }

  @Test func aClockThatIsAheadForADayOrTwoIsNotBelieved() {
    #expect(Self.agreed(20_400, [20_400, 20_000, 19_999, 19_998]) == 19_999)
    #expect(Self.agreed(20_401, [20_401, 20_400, 20_000, 19_999]) == 20_000)
    #expect(Self.agreed(20_402, [20_402, 20_401, 20_400, 20_000]) == 20_400)
  }

  @Test func aClockThatIsBehindReachesNoLaterDay() {
    #expect(Self.agreed(3, [20_000, 19_999, 19_998]) == 3)
  }
}
