import FirstlightModel

/// A day of UTC, counted from 1970-01-01: what evidence is summed by.
package struct FleetDay: Hashable, Sendable, Comparable, CustomStringConvertible {
  package var number: Int32

  package init(number: Int32) { self.number = number }

  /// The day of a moment, in seconds since 1970. Moments no clock shows become the first day.
  package init(of moment: Double) {
    let days = (moment / 86400).rounded(.down)
    number = days >= 0 && days < 10_000_000 ? Int32(days) : 0
  }

  /// 1970-01-01: for what ran before a clock was set. It is never closed.
  package static let undated = FleetDay(number: 0)

  /// 2020-01-01: older than anything that was recorded.
  package static let firstPlausible = FleetDay(number: 18_262)

  /// The day that a moment counts on, in seconds since 1970: its own, if a clock that was set can have shown
  /// it, else `undated`.
  package static func counting(_ moment: Double) -> FleetDay {
    let day = FleetDay(of: moment)
    return day < firstPlausible ? undated : day
  }

  /// A day as `description` writes it, `2026-11-21`; nil if the text is not one.
  package init?(_ text: String) {
    guard let date = CivilDate(text), date.year >= 1970 else { return nil }
    number = Int32(date.daysSince1970)
  }

  /// Seconds since 1970 at which the day begins.
  package var start: Double { Double(number) * 86400 }

  /// `2026-11-21`.
  package var description: String { CivilDate(daysSince1970: Int(number)).description }

  package static func < (a: FleetDay, b: FleetDay) -> Bool { a.number < b.number }
}

/// The day that a fleet has reached, by an estimate that a single wrong clock cannot change.
package enum AgreedDay {
  /// Rows must have come on so many days that are as late before evidence is closed or removed for its age.
  package static let agreeingDays = 3

  /// Today, or the third latest day on which rows came, whichever is earlier. So a clock that is ahead for a
  /// day or two closes and removes nothing.
  /// - Parameters:
  ///   - today: as the clock has it.
  ///   - received: days on which rows came, by the receivers' clocks.
  /// - Returns: nil as long as rows came on fewer days.
  package static func of(today: FleetDay, received: [FleetDay]) -> FleetDay? {
    let latest = Set(received).sorted(by: >)
    guard latest.count >= agreeingDays else { return nil }
    return min(today, latest[agreeingDays - 1])
  }
}
