/// How many processes of each user are taken in at once.
struct IntakeRate {
  private let limit: Int
  /// By user: how many may still be taken in, and when that was.
  private var left: [UInt32: (count: Double, at: Double)] = [:]

  init(limit: Int) { self.limit = limit }

  /// The first of these that may be taken in now: a list's head, as long as each user's part of it is
  /// within the rate.
  mutating func admit(_ processes: [KnownProcess], now: Double) -> [KnownProcess] {
    var admitted: [KnownProcess] = []
    for process in processes {
      var (count, at) = left[process.user] ?? (Double(limit), now)
      count = min(Double(limit), count + max(0, now - at) * Double(limit))
      guard count >= 1 else { break }
      left[process.user] = (count - 1, now)
      admitted.append(process)
    }
    return admitted
  }
}
