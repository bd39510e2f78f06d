import ReportFormats
import TextFormatting

/// Small charts as SVG.
enum Chart {
  private static let width = 540.0
  private static let height = 220.0
  private static let left = 56.0
  private static let bottom = 24.0

  private static let template = PageTemplate(PackageResources.chart_mustache)

  /// A rising line over equal steps.
  static func line(_ points: [(name: String, value: Double)]) -> String {
    let top = scale(points.map(\.value).max() ?? 1)
    let step = points.count > 1 ? (width - left - 10) / Double(points.count - 1) : 0
    let places = points.enumerated().map { index, point in
      (x: number(left + Double(index) * step), y: number(y(point.value, top)))
    }
    var labels = points.prefix(1).map { label($0.name, x: left, anchor: "start") }
    if points.count > 1, let last = points.last {
      labels.append(label(last.name, x: width - 10, anchor: "end"))
    }
    let most = CountText.number(Int(points.last?.value ?? 0))
    return text(
      "A line of \(points.count) days, up to \(most)", top: top,
      [
        "line": places.map { "\($0.x),\($0.y)" }.joined(separator: " "),
        "dot": places.count == 1 ? ["x": places[0].x, "y": places[0].y] : nil,
        "labels": labels,
      ])
  }

  static func bars(_ bars: [(name: String, value: Double)]) -> String {
    let top = scale(bars.map(\.value).max() ?? 1)
    let step = (width - left - 10) / Double(max(1, bars.count))
    let titles = bars.map { "\($0.name): \(CountText.number(Int($0.value)))" }
    return text(
      "Bars: "
        + bars.map { "\($0.name) \(CountText.number(Int($0.value)))" }.joined(separator: ", "),
      top: top,
      [
        "bars": bars.enumerated().map { index, bar in
          let start = y(bar.value, top)
          return [
            "x": number(left + Double(index) * step + 3), "y": number(start),
            "width": number(step - 6), "height": number(height - bottom - start),
            "title": titles[index],
          ]
        },
        "labels": bars.enumerated().map { index, bar in
          label(bar.name, x: left + (Double(index) + 0.5) * step, anchor: "middle")
        },
      ])
  }

  /// A chart with three lines across it, up to `top`.
  private static func text(_ description: String, top: Double, _ values: [String: Any?]) -> String {
    let axes = [0, 0.5, 1].map { share in
      let at = y(top * share, top)
      return [
        "left": "\(left)", "right": "\(width)", "y": number(at), "textX": "\(left - 6)",
        "textY": number(at + 4), "value": CountText.number(Int(top * share)),
      ]
    }
    return template.text(
      [
        "width": Int(width), "height": Int(height), "description": description, "axes": axes,
      ].merging(values) { $1 })
  }

  private static func label(_ text: String, x: Double, anchor: String) -> [String: String] {
    ["x": number(x), "y": "\(height - 6)", "anchor": anchor, "text": text]
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
