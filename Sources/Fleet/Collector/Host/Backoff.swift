/// How long to wait before the next try: twice as long each time, up to a limit, and a random part of
/// it, so that a fleet doesn't come back all at once.
struct Backoff {
  private let limit: Double
  private var current: Double

  init(first: Double = 0.5, limit: Double = 120) {
    self.limit = limit
    current = first
    self.first = first
  }

  private let first: Double

  mutating func succeeded() { current = first }

  /// Seconds to wait now.
  mutating func next() -> Double {
    defer { current = min(limit, current * 2) }
    return Double.random(in: current / 2...current)
  }
}
