import ReportFormats
import TextFormatting

/// Small charts as SVG.
enum Chart {
  private static let width = 540.0
  private static let height = 220.0
  private static let left = 56.0
  private static let bottom = 24.0

  /// A rising line over equal steps.
  static func line(_ points: [(name: String, value: Double)]) -> String {
    let top = scale(points.map(\.value).max() ?? 1)
    let step = points.count > 1 ? (width - left - 10) / Double(points.count - 1) : 0
    let places = points.enumerated().map { index, point in
      (left + Double(index) * step, y(point.value, top))
    }
    var text = open(
      "A line of \(points.count) days, up to \(CountText.number(Int(points.last?.value ?? 0)))", top
    )
    text +=
      "<polyline class=\"line\" points=\""
      + places.map { "\(number($0.0)),\(number($0.1))" }.joined(separator: " ") + "\"/>"
    if points.count == 1, let place = places.first {
      text += "<circle class=\"dot\" cx=\"\(number(place.0))\" cy=\"\(number(place.1))\" r=\"3\"/>"
    }
    if let first = points.first { text += label(first.name, x: left, anchor: "start") }
    if points.count > 1, let last = points.last {
      text += label(last.name, x: width - 10, anchor: "end")
    }
    return text + "</svg>"
  }

  static func bars(_ bars: [(name: String, value: Double)]) -> String {
    let top = scale(bars.map(\.value).max() ?? 1)
    let step = (width - left - 10) / Double(max(1, bars.count))
    var text = open(
      "Bars: "
        + bars.map { "\($0.name) \(CountText.number(Int($0.value)))" }.joined(separator: ", "),
      top)
    for (index, bar) in bars.enumerated() {
      let x = left + Double(index) * step
      let start = y(bar.value, top)
      text +=
        "<rect class=\"bar\" x=\"\(number(x + 3))\" y=\"\(number(start))\" width=\"\(number(step - 6))\""
        + " height=\"\(number(height - bottom - start))\"><title>\(HTMLText.escaped(bar.name)): "
        + "\(CountText.number(Int(bar.value)))</title></rect>"
      text += label(bar.name, x: x + step / 2, anchor: "middle")
    }
    return text + "</svg>"
  }

  private static func open(_ description: String, _ top: Double) -> String {
    var text =
      "<svg viewBox=\"0 0 \(Int(width)) \(Int(height))\" role=\"img\" aria-label=\"\(HTMLText.escaped(description))\">"
    for share in [0, 0.5, 1] {
      let at = y(top * share, top)
      text +=
        "<line class=\"axis\" x1=\"\(left)\" x2=\"\(width)\" y1=\"\(number(at))\" y2=\"\(number(at))\"/>"
        + "<text x=\"\(left - 6)\" y=\"\(number(at + 4))\" text-anchor=\"end\">"
        + "\(CountText.number(Int(top * share)))</text>"
    }
    return text
  }

  private static func label(_ text: String, x: Double, anchor: String) -> String {
    "<text x=\"\(number(x))\" y=\"\(height - 6)\" text-anchor=\"\(anchor)\">"
      + "\(HTMLText.escaped(text))</text>"
  }

  private static func y(_ value: Double, _ top: Double) -> Double {
    10 + (height - bottom - 10) * (1 - value / top)
  }

  /// The next even number of one digit and zeros.
  private static func scale(_ value: Double) -> Double {
    var unit = 1.0
    while unit * 10 < value { unit *= 10 }
    for factor in [2.0, 3, 4, 5, 6, 8, 10] {
      let top = unit * factor
      if top >= value, top.truncatingRemainder(dividingBy: 2) == 0 { return top }
    }
    return unit * 10
  }

  private static func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(abs(tenths % 10))"
  }
}
