import CoreMetrics
import FirstlightModel
import Synchronization

/// Keeps metrics (swift-metrics) and writes them in Prometheus' text exposition format 0.0.4,
/// https://prometheus.io/docs/instrumenting/exposition_formats/.
final class PrometheusMetrics: MetricsFactory {
  private enum Value {
    case counter(Double)
    case gauge(Double)
    /// Sum and number of values.
    case summary(Double, Int)
  }

  private struct Key: Hashable, Comparable {
    var name: String
    var labels: String

    static func < (a: Key, b: Key) -> Bool { (a.name, a.labels) < (b.name, b.labels) }
  }

  private let values = Mutex<[Key: Value]>([:])

  func text() -> String {
    let all = values.withLock { $0 }
    var text = ""
    var last = ""
    for (key, value) in all.sorted(by: { $0.key < $1.key }) {
      let type =
        switch value {
        case .counter: "counter"
        case .gauge: "gauge"
        case .summary: "summary"
        }
      if key.name != last { text += "# TYPE \(key.name) \(type)\n" }
      last = key.name
      switch value {
      case .counter(let number), .gauge(let number):
        text += "\(key.name)\(key.labels) \(Self.number(number))\n"
      case .summary(let sum, let count):
        text += "\(key.name)_sum\(key.labels) \(Self.number(sum))\n"
        text += "\(key.name)_count\(key.labels) \(count)\n"
      }
    }
    return text
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    Handler(self, label, dimensions)
  }
  func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    aggregate ? Handler(self, label, dimensions, isSummary: true) : Handler(self, label, dimensions)
  }
  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    Handler(self, label + "_seconds", dimensions, isSummary: true)
  }
  func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    Handler(self, label, dimensions)
  }
  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}
  func destroyMeter(_ handler: any MeterHandler) {}

  private final class Handler: CounterHandler, RecorderHandler, TimerHandler, MeterHandler {
    private let owner: PrometheusMetrics
    private let key: Key
    private let isSummary: Bool

    init(
      _ owner: PrometheusMetrics, _ label: String, _ dimensions: [(String, String)],
      isSummary: Bool = false
    ) {
      self.owner = owner
      self.isSummary = isSummary
      let name = Escaping.prometheusName(label)
      let labels = dimensions.map { key, value in
        "\(Escaping.prometheusName(key))=\"\(Escaping.prometheusValue(value))\""
      }.joined(separator: ",")
      key = Key(name: name, labels: labels.isEmpty ? "" : "{\(labels)}")
    }

    private func add(_ number: Double) {
      owner.values.withLock { values in
        let before: Double = if case .counter(let value) = values[key] { value } else { 0 }
        values[key] = .counter(before + number)
      }
    }

    private func note(_ number: Double) {
      owner.values.withLock { values in
        if case .summary(let sum, let count) = values[key] {
          values[key] = .summary(sum + number, count + 1)
        } else {
          values[key] = .summary(number, 1)
        }
      }
    }

    func increment(by amount: Int64) { add(Double(amount)) }
    func reset() { owner.values.withLock { $0[key] = .counter(0) } }
    func record(_ value: Int64) { isSummary ? note(Double(value)) : set(Double(value)) }
    func record(_ value: Double) { isSummary ? note(value) : set(value) }
    func recordNanoseconds(_ duration: Int64) { note(Double(duration) / 1e9) }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { owner.values.withLock { $0[key] = .gauge(value) } }
    func increment(by amount: Double) {
      owner.values.withLock { values in
        let before: Double = if case .gauge(let value) = values[key] { value } else { 0 }
        values[key] = .gauge(before + amount)
      }
    }
    func decrement(by amount: Double) { increment(by: -amount) }
  }
}
