import FirstlightModel
import Foundation
import Testing

@Suite struct CivilDateTests {
  /// Four eras and some, on both sides of 1970.
  @Test func datesAreThoseOfFoundation() {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: 0)!
    for days in stride(from: -140_000, through: 500_000, by: 97) {
      let parts = calendar.dateComponents(
        [.year, .month, .day], from: Date(timeIntervalSince1970: Double(days) * 86400))
      let date = CivilDate(daysSince1970: days)
      #expect(date.year == parts.year && date.month == parts.month && date.day == parts.day)
      #expect(date.daysSince1970 == days)
    }
  }

  @Test(arguments: [
    ("2026-11-21", true), ("2024-02-29", true), ("2023-02-29", false), ("2026-04-31", false),
    ("2026-1-21", false), ("+026-11-21", false), ("2026-11-21 ", false), ("", false),
  ])
  func aTextIsADateOrNot(text: String, isDate: Bool) {
    #expect((CivilDate(text)?.description == text) == isDate)
  }
}
