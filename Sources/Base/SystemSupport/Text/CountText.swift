import FirstlightModel

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
