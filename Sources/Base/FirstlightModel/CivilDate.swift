import Glibc

/// A date of the proleptic Gregorian calendar, as the C library counts days (gmtime(3), timegm(3)).
package struct CivilDate: Hashable, Sendable, CustomStringConvertible {
  package let year: Int
  /// Both begin at 1.
  package let month, day: Int

  /// The date of a day counted from 1970-01-01, within two thousand million years of it.
  package init(daysSince1970 days: Int) {
    var (time, parts) = (days * 86400, tm())
    gmtime_r(&time, &parts)
    (year, month, day) = (Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday))
  }

  /// Parses a date with a four-digit year in the form of `description`, `2026-11-21`; nil if the
  /// text is invalid.
  package init?(_ text: String) {
    let parts = text.split(at: "-", omittingEmpty: false).map { Int($0) }
    guard parts.count == 3, let year = parts[0], (1000...9999).contains(year), let month = parts[1],
      (1...12).contains(month), let day = parts[2], (1...31).contains(day)
    else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
    // Rejects dates such as February 30, and other digits than those of `description`.
    guard CivilDate(daysSince1970: daysSince1970) == self, description == text else { return nil }
  }

  /// The day counted from 1970-01-01.
  package var daysSince1970: Int {
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (
      Int32(year - 1900), Int32(month - 1), Int32(day)
    )
    let time = timegm(&parts)
    return (time - (time % 86400 + 86400) % 86400) / 86400
  }

  /// `2026-11-21`.
  package var description: String { "\(year)-\(Self.two(month))-\(Self.two(day))" }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
