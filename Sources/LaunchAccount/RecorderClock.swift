/// Time as a traced program would have had it without its tracer.
///
/// Each stop costs its thread the time in which it stood still, which is known, and the way into the
/// stop and out of it, which is a constant measured beforehand. Both are taken off everything that
/// comes after on that thread, and on the threads it starts. The clock never goes back. What a thread
/// waits for others that stand still is not taken off.
public struct RecorderClock: Sendable {
  /// One stop of a thread; CLOCK_MONOTONIC, nanoseconds.
  public struct Stop: Sendable {
    public var thread: UInt32
    /// The thread that it told of; 0: none.
    public var created: UInt32
    public var seen: UInt64
    public var resumed: UInt64
    /// Whether it was at the begin or the end of a system call: that costs less.
    public var isSystemCall: Bool

    public init(
      thread: UInt32, created: UInt32, seen: UInt64, resumed: UInt64, isSystemCall: Bool = false
    ) {
      self.thread = thread
      self.created = created
      self.seen = seen
      self.resumed = resumed
      self.isSystemCall = isSystemCall
    }
  }

  /// What a stop costs beside the time in which the thread stands still, nanoseconds: until it has been
  /// seen, and from its resumption on.
  public struct StopCost: Hashable, Sendable {
    public var before: UInt64
    public var after: UInt64
    /// Both, of a stop at a system call.
    public var systemCall: UInt64

    /// - Parameter systemCall: nil: as of any other stop.
    public init(before: UInt64, after: UInt64, systemCall: UInt64? = nil) {
      self.before = before
      self.after = after
      self.systemCall = systemCall ?? before + after
    }

    func before(_ stop: Stop) -> UInt64 { stop.isSystemCall ? systemCall / 2 : before }
    func sum(_ stop: Stop) -> UInt64 { stop.isSystemCall ? systemCall : before + after }
  }

  private struct Entry {
    var seen: UInt64
    /// That moment on the program's own clock.
    var own: UInt64
    /// Cost of all stops of the thread before this one.
    var costBefore: UInt64
    /// Of its cost, what came before it was seen.
    var before: UInt64
    var cost: UInt64
  }

  private var threads: [UInt32: [Entry]] = [:]
  private let mainThread: UInt32

  /// - Parameter stops: in the order in which they were seen.
  public init(stops: [Stop], cost: StopCost, mainThread: UInt32) {
    self.mainThread = mainThread
    var spent: [UInt32: UInt64] = [:]
    for stop in stops {
      var costBefore = spent[stop.thread] ?? 0
      let own = (stop.resumed &- stop.seen) &+ cost.sum(stop)
      // The constant is what stops usually cost: where one was cheaper, the clock stands still until
      // it is right again, rather than going back. But not for longer than one stop is worth: a
      // constant that is too high for this start would eat up its time.
      let least = threads[stop.thread]?.last?.own ?? 0
      let known = stop.seen - min(stop.seen, costBefore + cost.before(stop))
      let ahead = least > known ? least - known : 0
      if ahead > cost.sum(stop) { costBefore -= min(costBefore, ahead - cost.sum(stop)) }
      let at = max(least, stop.seen - min(stop.seen, costBefore + cost.before(stop)))
      threads[stop.thread, default: []].append(
        Entry(
          seen: stop.seen, own: at, costBefore: costBefore, before: cost.before(stop), cost: own))
      spent[stop.thread] = costBefore + own
      if stop.created != 0, spent[stop.created] == nil { spent[stop.created] = costBefore + own }
    }
  }

  /// What the tracer has cost the main thread in all, nanoseconds.
  public var costOfMainThread: UInt64 {
    threads[mainThread]?.last.map { $0.costBefore + $0.cost } ?? 0
  }

  /// Number of stops of all threads.
  public var stopCount: Int { threads.values.reduce(0) { $0 + $1.count } }

  /// A moment at which a thread was seen to stop, or any other, on the program's own clock.
  ///
  /// - Parameters:
  ///   - time: CLOCK_MONOTONIC, nanoseconds.
  ///   - thread: nil: the main thread.
  public func time(_ time: UInt64, thread: UInt32? = nil) -> UInt64 {
    let entries = threads[thread ?? mainThread] ?? threads[mainThread] ?? []
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].seen < time { low = middle + 1 } else { high = middle }
    }
    // `low` is the first stop at or after this moment.
    if low < entries.count, entries[low].seen == time { return entries[low].own }
    let most = low < entries.count ? entries[low].own : .max
    guard low > 0 else { return min(most, time - min(time, entries.first?.costBefore ?? 0)) }
    let last = entries[low - 1]
    // Within a stop, the program's time stands still.
    let passed = time - last.seen
    let own = time - min(time, last.costBefore + min(passed + last.before, last.cost))
    return min(most, max(last.own, own))
  }
}
