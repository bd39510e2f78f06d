/// A date of the proleptic Gregorian calendar, after Howard Hinnant's `chrono`-compatible low-level date
/// algorithms, https://howardhinnant.github.io/date_algorithms.html.
package struct CivilDate: Hashable, Sendable, CustomStringConvertible {
  package let year: Int
  /// Both begin at 1.
  package let month, day: Int

  /// The date of a day counted from 1970-01-01.
  package init(daysSince1970 days: Int) {
    let shifted = days + Self.shift
    let era = (shifted >= 0 ? shifted : shifted - (Self.daysOfEra - 1)) / Self.daysOfEra
    let dayOfEra = shifted - era * Self.daysOfEra
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Parses a date with a four-digit year in the form of `description`, `2026-11-21`; nil if the
  /// text is invalid.
  package init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].utf8.count == 4, parts[1].utf8.count == 2,
      parts[2].utf8.count == 2, let year = Int(parts[0]), let month = Int(parts[1]),
      let day = Int(parts[2]), year >= 1000, (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
    // Rejects dates such as February 30, and numbers with a sign.
    let known = CivilDate(daysSince1970: daysSince1970)
    guard known == self, known.description == text else { return nil }
  }

  /// The day counted from 1970-01-01.
  package var daysSince1970: Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * Self.daysOfEra + dayOfEra - Self.shift
  }

  /// `2026-11-21`.
  package var description: String { "\(year)-\(Self.two(month))-\(Self.two(day))" }

  /// Days in 400 years, after which the calendar repeats.
  private static let daysOfEra = 146_097
  /// Days from 0000-03-01, the start of an era, to 1970-01-01.
  private static let shift = 719_468

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
