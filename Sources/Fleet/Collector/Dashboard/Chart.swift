import Reports
import SystemSupport

/// Draws small charts as SVG.
enum Chart {
  private static let width = 540.0
  private static let height = 220.0
  private static let left = 56.0
  private static let bottom = 24.0

  static func figure(_ picture: HTML, caption: String, words: String) -> HTML {
    """
    <figure><figcaption>\(caption)</figcaption>\(picture)<p class="small">\(words)</p></figure>
    """
  }

  /// A rising line over equal steps.
  static func line(_ points: [(name: String, value: Double)]) -> HTML {
    let top = scale(points.map(\.value).max() ?? 1)
    let step = points.count > 1 ? (width - left - 10) / Double(points.count - 1) : 0
    let places = points.enumerated().map { index, point in
      (x: number(left + Double(index) * step), y: number(y(point.value, top)))
    }
    let dot: HTML? =
      places.count == 1
      ? "<circle class=\"dot\" cx=\"\(places[0].x)\" cy=\"\(places[0].y)\" r=\"3\"/>" : nil
    var labels = points.prefix(1).map { label($0.name, x: left, anchor: "start") }
    if points.count > 1, let last = points.last {
      labels.append(label(last.name, x: width - 10, anchor: "end"))
    }
    let most = CountText.number(Int(clamping: points.last?.value ?? 0))
    let line = places.map { "\($0.x),\($0.y)" }.joined(separator: " ")
    return svg(
      "A line of \(CountText.text(points.count, "day")), up to \(most)", top: top,
      "<polyline class=\"line\" points=\"\(line)\"/>\(dot)\(labels)")
  }

  static func bars(_ bars: [(name: String, value: Double)]) -> HTML {
    let top = scale(bars.map(\.value).max() ?? 1)
    let step = (width - left - 10) / Double(max(1, bars.count))
    let counts = bars.map { CountText.number(Int(clamping: $0.value)) }
    let rectangles = bars.indices.map { index -> HTML in
      let start = y(bars[index].value, top)
      return """
        <rect class="bar" x="\(number(left + Double(index) * step + 3))" y="\(number(start))" \
        width="\(number(step - 6))" height="\(number(height - bottom - start))">\
        <title>\(bars[index].name): \(counts[index])</title></rect>
        """
    }
    let labels = bars.enumerated().map { index, bar in
      label(bar.name, x: left + (Double(index) + 0.5) * step, anchor: "middle")
    }
    return svg(
      "Bars: " + zip(bars, counts).map { "\($0.name) \($1)" }.joined(separator: ", "), top: top,
      "\(rectangles)\(labels)")
  }

  /// A chart with three lines across it, up to `top`.
  private static func svg(_ description: String, top: Double, _ content: HTML) -> HTML {
    let axes = [0, 0.5, 1].map { share -> HTML in
      let at = y(top * share, top)
      return """
        <line class="axis" x1="\("\(left)")" x2="\("\(width)")" y1="\(number(at))" \
        y2="\(number(at))"/><text x="\("\(left - 6)")" y="\(number(at + 4))" \
        text-anchor="end">\(CountText.number(Int(clamping: top * share)))</text>
        """
    }
    return """
      <svg viewBox="0 0 \(Int(width)) \(Int(height))" role="img" aria-label="\(description)">\
      \(axes)\(content)</svg>

      """
  }

  private static func label(_ text: String, x: Double, anchor: String) -> HTML {
    """
    <text x="\(number(x))" y="\("\(height - 6)")" text-anchor="\(anchor)">\(text)</text>
    """
  }

  private static func y(_ value: Double, _ top: Double) -> Double {
    10 + (height - bottom - 10) * (1 - value / top)
  }

  /// Rounds up to an even number of one digit and zeros.
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
    let tenths = Int(clamping: (value * 10).rounded())
    return "\(tenths / 10).\(abs(tenths % 10))"
  }
}
