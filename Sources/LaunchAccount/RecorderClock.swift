/// Time as a traced program would have had it without its tracer.
///
/// Between two stops, a thread that had a processor all the time has as much time of its own as the
/// scheduler counted for it, less what the way into a stop and out of it takes on that processor. One
/// that slept or waited has the time between its resumption and the sight of its next stop, less what
/// these usually come late. Both are measured beforehand. The clock never goes back. What a thread waits
/// for others that stand still is not taken off.
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
    /// Nanoseconds on a processor since the thread's stop before, or since the program was requested; nil
    /// if it waited or slept in between, or nothing is known of it.
    public var ran: UInt64?
    /// Whether it had the tracer's processor up to here.
    public var isBeside: Bool

    public init(
      thread: UInt32, created: UInt32, seen: UInt64, resumed: UInt64, isSystemCall: Bool = false,
      ran: UInt64? = nil, isBeside: Bool = false
    ) {
      self.thread = thread
      self.created = created
      self.seen = seen
      self.resumed = resumed
      self.isSystemCall = isSystemCall
      self.ran = ran
      self.isBeside = isBeside
    }
  }

  /// What stops cost on a processor of the thread's own, and on the tracer's.
  public struct Costs: Hashable, Sendable {
    public var apart: StopCost
    public var beside: StopCost

    /// - Parameter beside: nil: as apart.
    public init(apart: StopCost, beside: StopCost? = nil) {
      self.apart = apart
      self.beside = beside ?? apart
    }
  }

  /// What a stop costs beside the time in which the thread stands still, nanoseconds.
  public struct StopCost: Hashable, Sendable {
    /// Until it has been seen, and from its resumption on.
    public var before: UInt64
    public var after: UInt64
    /// Both, of a stop at a system call.
    public var systemCall: UInt64
    /// What of that the thread spends on its processor; 0: not known.
    public var running: UInt64
    public var systemCallRunning: UInt64
    /// `before`, where the tracer had slept long.
    public var waking: UInt64

    /// - Parameter systemCall: nil: as of any other stop.
    public init(
      before: UInt64, after: UInt64, systemCall: UInt64? = nil, running: UInt64 = 0,
      systemCallRunning: UInt64 = 0, waking: UInt64? = nil
    ) {
      self.before = before
      self.after = after
      self.systemCall = systemCall ?? before + after
      self.running = running
      self.systemCallRunning = systemCallRunning
      self.waking = waking ?? before
    }

    func scaled(by scale: Double) -> StopCost {
      func scaled(_ cost: UInt64) -> UInt64 { UInt64(Double(cost) * scale) }
      return StopCost(
        before: scaled(before), after: scaled(after), systemCall: scaled(systemCall),
        running: scaled(running), systemCallRunning: scaled(systemCallRunning),
        waking: scaled(waking))
    }

    func before(_ stop: Stop) -> UInt64 { stop.isSystemCall ? systemCall / 2 : before }
    func after(_ stop: Stop) -> UInt64 { stop.isSystemCall ? systemCall / 2 : after }
    func running(_ stop: Stop) -> UInt64 { stop.isSystemCall ? systemCallRunning : running }
  }

  private struct Entry {
    var seen: UInt64
    /// From here on the thread runs again.
    var resumed: UInt64
    /// The moment of the stop on the program's own clock.
    var own: UInt64
  }

  private var threads: [UInt32: [Entry]] = [:]
  private let stops: [Stop]
  private let costs: Costs
  private let mainThread: UInt32
  private let requested: UInt64

  /// The tracer has slept, if it saw nothing for so long.
  private static let sleep: UInt64 = 200_000

  /// - Parameters:
  ///   - stops: in the order in which they were seen.
  ///   - requested: when the program was requested: there both clocks are the same.
  public init(stops: [Stop], cost costs: Costs, mainThread: UInt32, requested: UInt64) {
    self.stops = stops
    self.costs = costs
    self.mainThread = mainThread
    self.requested = requested
    var begins: [UInt32: Entry] = [
      mainThread: Entry(seen: requested, resumed: requested, own: requested)
    ]
    // What stops cost is known as a usual value. Where one was cheaper, nothing is left of the time up
    // to it, and the rest is owed by the time after it; but not more than one stop is worth, as a value
    // that is too high for this start would eat up its time.
    var owed: [UInt32: UInt64] = [:]
    for stop in stops {
      // A thread that nobody told of begins with what is known of it.
      let last =
        threads[stop.thread]?.last ?? begins[stop.thread]
        ?? Entry(seen: stop.seen, resumed: stop.seen, own: stop.seen)
      let cost = stop.isBeside ? costs.beside : costs.apart
      var passed: UInt64
      var taken: UInt64
      if let ran = stop.ran, cost.running > 0 {
        passed = ran
        taken = cost.running(stop)
      } else {
        passed = stop.seen - min(stop.seen, last.resumed)
        taken = passed > Self.sleep && !stop.isSystemCall ? cost.waking : cost.before(stop)
      }
      taken += owed[stop.thread] ?? 0
      let most = cost.before(stop) + cost.after(stop)
      owed[stop.thread] = taken > passed ? min(taken - passed, most) : 0
      let own = last.own + (passed - min(passed, taken))
      let entry = Entry(seen: stop.seen, resumed: stop.resumed + cost.after(stop), own: own)
      threads[stop.thread, default: []].append(entry)
      if stop.created != 0, threads[stop.created] == nil { begins[stop.created] = entry }
    }
  }

  /// The same stops, had each cost so many times as much.
  public func scaled(by scale: Double) -> RecorderClock {
    let costs = Costs(
      apart: costs.apart.scaled(by: scale), beside: costs.beside.scaled(by: scale))
    return RecorderClock(stops: stops, cost: costs, mainThread: mainThread, requested: requested)
  }

  /// What the tracer has cost the main thread in all, nanoseconds.
  public var costOfMainThread: UInt64 {
    guard let last = threads[mainThread]?.last else { return 0 }
    let (passed, own) = (last.resumed - min(last.resumed, requested), last.own - requested)
    return passed - min(passed, own)
  }

  /// Number of stops of all threads.
  public var stopCount: Int { stops.count }

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
    guard low > 0 else { return min(most, time) }
    // Within a stop, the program's time stands still.
    let last = entries[low - 1]
    return min(most, last.own + (time - min(time, last.resumed)))
  }
}
