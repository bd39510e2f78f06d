/// How many processes of each user are taken in at once.
struct IntakeRate {
  private let limit: Int
  /// By user: how many may still be taken in, and when that was.
  private var left: [UInt32: (count: Double, at: Double)] = [:]

  init(limit: Int) { self.limit = limit }

  /// Those of these that may be taken in now, in their order: of each user the first ones, as many as the
  /// rate allows. A user who is over the rate does not delay others.
  mutating func admit(_ processes: [KnownProcess], now: Double) -> [KnownProcess] {
    processes.filter { process in
      let (count, at) = left[process.user] ?? (Double(limit), now)
      let refilled = min(Double(limit), count + max(0, now - at) * Double(limit))
      left[process.user] = (refilled >= 1 ? refilled - 1 : refilled, now)
      return refilled >= 1
    }
  }
}
