import FirstlightModel

/// A UTC day, counted from 1970-01-01, by which evidence is summed.
package struct FleetDay: Hashable, Sendable, Comparable, CustomStringConvertible {
  package var number: Int32

  package init(number: Int32) { self.number = number }

  /// The day of a time in seconds since 1970. Times that no clock shows become the first day.
  package init(of moment: Double) {
    let days = (moment / 86400).rounded(.down)
    number = days >= 0 && days < 10_000_000 ? Int32(days) : 0
  }

  /// 1970-01-01: for processes that ran before a clock was set. This day is never closed.
  package static let undated = FleetDay(number: 0)

  /// 2020-01-01: older than any recording.
  static let firstPlausible = FleetDay(number: 18_262)

  /// The day to count a time on, in seconds since 1970: its own day if a correct clock may have
  /// shown it, else `undated`.
  package static func counting(_ moment: Double) -> FleetDay {
    let day = FleetDay(of: moment)
    return day < firstPlausible ? undated : day
  }

  /// Parses the form of `description`, `2026-11-21`; nil if the text is invalid.
  package init?(_ text: String) {
    guard let date = CivilDate(text), date.year >= 1970 else { return nil }
    number = Int32(date.daysSince1970)
  }

  /// Start of the day, seconds since 1970.
  package var start: Double { Double(number) * 86400 }

  /// `2026-11-21`.
  package var description: String { CivilDate(daysSince1970: Int(number)).description }

  package static func < (a: FleetDay, b: FleetDay) -> Bool { a.number < b.number }
}

/// As text: `2026-11-21`.
extension FleetDay: Codable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let day = FleetDay(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a day")
    }
    self = day
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// The fleet's current day, estimated so that a single wrong clock cannot change it.
package enum AgreedDay {
  /// Number of latest days with rows that must agree before evidence is closed or removed for its age.
  static let agreeingDays = 3

  /// Today, or the third latest day on which rows arrived, whichever is earlier. So a clock that is
  /// ahead for a day or two closes and removes nothing.
  /// - Parameters:
  ///   - today: the day of the local clock.
  ///   - received: days on which rows arrived, by the receivers' clocks.
  /// - Returns: nil until rows have arrived on enough days.
  package static func of(today: FleetDay, received: [FleetDay]) -> FleetDay? {
    let latest = Set(received).sorted(by: >)
    guard latest.count >= agreeingDays else { return nil }
    return min(today, latest[agreeingDays - 1])
  }
}
