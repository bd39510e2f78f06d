import FirstlightModel

/// Formats durations and times.
package enum TimeText {
  /// A duration in a suitable unit: "350 ms", "12.4 s", "3 min 20 s", "2 h 5 min".
  package static func text(_ seconds: Double) -> String {
    if seconds < 1 { return "\(Int(clamping: (seconds * 1000).rounded())) ms" }
    if seconds < 60 { return "\(CountText.tenths(seconds)) s" }
    let whole = Int(clamping: seconds.rounded())
    if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
    return "\(whole / 3600) h \(whole % 3600 / 60) min"
  }

  /// A short duration: "0.24 ms".
  package static func milliseconds(_ seconds: Double) -> String {
    "\(NumberText.decimal(seconds * 1000, digits: 2)) ms"
  }

  /// A duration that may be short: in hundredths of a millisecond below 10 ms.
  package static func fine(_ seconds: Double) -> String {
    seconds < 0.01 ? milliseconds(seconds) : text(seconds)
  }

  /// A time in UTC: "2026-11-21 01:08:21 UTC".
  package static func moment(_ secondsSince1970: Double) -> String {
    guard secondsSince1970.isFinite, abs(secondsSince1970) < 1e11 else { return "unknown" }
    let whole = Int(clamping: secondsSince1970.rounded(.down))
    let days = whole >= 0 ? whole / 86400 : (whole - 86399) / 86400
    let second = whole - days * 86400
    return "\(CivilDate(daysSince1970: days)) "
      + "\(two(second / 3600)):\(two(second % 3600 / 60)):\(two(second % 60)) UTC"
  }

  /// A day in UTC: "2026-11-21".
  package static func day(_ secondsSince1970: Double) -> String {
    String(moment(secondsSince1970).prefix(upToAny: " "))
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
