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
