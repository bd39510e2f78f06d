import FirstlightModel

/// Formats numbers with a fraction.
package enum NumberText {
  /// A number with some digits after the point, and digit groups before it: "1,234.50".
  package static func decimal(_ value: Double, digits: Int) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "-" }
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let scaled = Int(clamping: (abs(value) * scale).rounded())
    let whole = CountText.number(scaled / Int(scale))
    let sign = value < 0 && scaled != 0 ? "-" : ""
    if digits == 0 { return sign + whole }
    let fraction = String(scaled % Int(scale))
    return sign + whole + "." + String(repeating: "0", count: digits - fraction.count) + fraction
  }

  /// A change in percent with its sign: "-12.4%", "+0.0%"; "-" without a change to show.
  package static func percent(_ change: Double?) -> String {
    guard let change else { return "-" }
    return (change < 0 ? "" : "+") + decimal(change * 100, digits: 1) + "%"
  }

  /// A share in per cent, rounded down, so that only a full share is "100.0%".
  package static func share(_ share: Double) -> String {
    let tenths = Int(clamping: (share * 1000).rounded(.down))
    return "\(tenths / 10).\(tenths % 10)%"
  }

  /// A probability: "0.0421", or "<0.0001".
  package static func probability(_ p: Double) -> String {
    p < 0.0001 ? "<0.0001" : decimal(p, digits: 4)
  }
}

/// Formats counts and sizes.
package enum CountText {
  /// Digits in groups of three: 44,012.
  package static func number(_ value: Int) -> String {
    let digits = String(value.magnitude)
    var text = ""
    for (place, digit) in digits.enumerated() {
      if place > 0, (digits.count - place) % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return (value < 0 ? "-" : "") + text
  }

  /// "2 runs and 3 windows"; one of them alone if there are none of the other.
  package static func runs(_ runs: Int, windows: Int) -> String {
    ((runs > 0 || windows == 0 ? [text(runs, "run")] : [])
      + (windows > 0 ? [text(windows, "window")] : [])).joined(separator: " and ")
  }

  /// "3 builds" of one binary, "3 binaries" with one build of each, or "4 builds of 2 binaries".
  package static func builds(_ builds: Int, binaries: Int) -> String {
    if builds < 2 || binaries < 2 { return text(builds, "build") }
    let names = text(binaries, "binary", "binaries")
    return builds > binaries ? "\(text(builds, "build")) of \(names)" : names
  }

  /// A number with its noun: "1 process", "44,012 guards".
  package static func text(_ value: Int, _ one: String, _ many: String? = nil) -> String {
    "\(number(value)) \(value == 1 ? one : many ?? one + "s")"
  }

  /// A size, in the unit that leaves up to four digits: "1,023 B", "1.5 KiB".
  package static func bytes(_ value: UInt64) -> String {
    if value < 1024 { return "\(number(Int(value))) B" }
    let units = ["KiB", "MiB", "GiB", "TiB"]
    var scaled = Double(value) / 1024
    var unit = 0
    // Rounded to tenths, a smaller value would still be 1,024.0 of the smaller unit.
    while scaled >= 1023.95, unit + 1 < units.count {
      scaled /= 1024
      unit += 1
    }
    return "\(tenths(scaled)) \(units[unit])"
  }

  package static func tenths(_ value: Double) -> String {
    let scaled = Int(clamping: (value * 10).rounded())
    return "\(number(scaled / 10)).\(scaled % 10)"
  }
}

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
