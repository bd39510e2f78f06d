/// A day of UTC, counted from 1970-01-01: what evidence is summed by.
package struct FleetDay: Hashable, Sendable, Comparable, CustomStringConvertible {
  package var number: Int32

  package init(number: Int32) { self.number = number }

  /// The day of a moment, in seconds since 1970. Moments no clock shows become the first day.
  package init(of moment: Double) {
    let days = (moment / 86400).rounded(.down)
    number = days >= 0 && days < 10_000_000 ? Int32(days) : 0
  }

  /// A day as `description` writes it, `2026-11-21`; nil if the text is not one.
  package init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].utf8.count == 4, parts[1].utf8.count == 2,
      parts[2].utf8.count == 2, let year = Int(parts[0]), let month = Int(parts[1]),
      let day = Int(parts[2]), year >= 1970, (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    // Days from the civil date after Howard Hinnant,
    // https://howardhinnant.github.io/date_algorithms.html.
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    number = Int32(era * 146_097 + dayOfEra - 719_468)
    guard description == text else { return nil }
  }

  /// Seconds since 1970 at which the day begins.
  package var start: Double { Double(number) * 86400 }

  /// `2026-11-21`.
  package var description: String {
    let shifted = Int(number) + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return "\(year)-\(Self.two(month))-\(Self.two(day))"
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  package static func < (a: FleetDay, b: FleetDay) -> Bool { a.number < b.number }
}
