/// What each thread of a traced program did, without its tracer: what it ran, slept, and waited for.
struct ThreadSteps {
  enum Step: Hashable {
    /// Nanoseconds on a processor.
    case run(UInt64)
    /// Nanoseconds in which it waited for something outside of the program.
    case sleep(UInt64)
    /// Until a thread has come to this stop.
    case await(Int)
    /// It has come to this stop.
    case stop(Int)

    var isWait: Bool {
      switch self {
      case .sleep, .await: true
      case .run, .stop: false
      }
    }
  }

  /// Of each thread, in the order in which they were seen first.
  private(set) var threads: [(id: UInt32, steps: [Step])] = []
  /// For each stop the nanoseconds that its thread had run by then.
  private(set) var cpu: [UInt64] = []
  /// Waits that another thread ended, and those whose end was not explained by an event although there were
  /// other threads, with their nanoseconds.
  private(set) var explainedWaits = 0
  private(set) var unexplained: UInt64 = 0

  private let stops: [OverheadCompensatedClock.Stop]
  private let costs: SeenCosts
  private let mainThread: UInt32
  private var states: [UInt32: State] = [:]
  /// Whether there is more than one thread.
  private var isShared = false
  /// Since when the tracer had one stop after the other to handle.
  private var busySince: UInt64 = 0
  /// How long it had waited for a processor when it had handled the last one before.
  private var queuedBefore: UInt64 = 0
  private var wakes: [Futex: Int] = [:]
  private var ends: [UInt32: Int] = [:]
  private var joined: Set<Int> = []
  /// Of each thread the last system call that may have ended what another waited for.
  private var sent: [UInt32: Sent] = [:]

  private struct Futex: Hashable {
    var process: UInt32
    var address: UInt64
  }

  private struct Sent {
    var stop: Int
    /// When it was over; nil: not yet.
    var over: UInt64?
  }

  private struct State {
    var place: Int
    /// The stop before; nil: none.
    var last: Int?
    /// From here on it ran again.
    var resumed: UInt64
    var cpu: UInt64 = 0
    /// What its stops were cheaper than they usually are.
    var owed: UInt64 = 0
    /// Waits that timed out, since when it did nothing but wait on the same futex.
    var polls: [Int] = []
    var polled: UInt64 = 0
  }

  /// What a thread did from one stop to the next.
  private struct Interval {
    var run: UInt64
    /// What is left.
    var off: UInt64
    /// Whether it may have waited.
    var hasWaited: Bool
  }

  /// The tracer has slept, if it saw nothing for so long.
  private static let sleep: UInt64 = 200_000
  /// Without a stop to handle for so long, it had none waiting: threads take longer to the next.
  private static let pause: UInt64 = 2000
  /// Of several threads, one that was off its processor for less did not wait for anything.
  private static let hiccup: UInt64 = 50_000
  /// From its stop at its end, a thread is gone after that.
  private static let ending: UInt64 = 50_000
  private static let timedOut: Int64 = -110
  private static let tryAgain: Int64 = -11

  /// - Parameter stops: in the order in which they were seen.
  init(
    _ stops: [OverheadCompensatedClock.Stop], costs: SeenCosts, mainThread: UInt32,
    requested: UInt64
  ) {
    self.stops = stops
    self.costs = costs
    self.mainThread = mainThread
    cpu.reserveCapacity(stops.count)
    begin(mainThread, at: requested)
    for index in stops.indices { add(index) }
  }

  private mutating func begin(_ thread: UInt32, at time: UInt64) {
    states[thread] = State(place: threads.count, resumed: time)
    threads.append((thread, []))
  }

  private mutating func add(_ index: Int) {
    let stop = stops[index]
    if index == 0 || stop.seen - min(stop.seen, stops[index - 1].resumed) > Self.pause {
      busySince = stop.seen
      queuedBefore = index == 0 ? stop.tracerQueued : stops[index - 1].tracerQueued
    }
    if states[stop.thread] == nil {
      begin(stop.thread, at: stop.seen)
      // Its creation was not seen: it begins after the stop before.
      if index > 0 { threads[threads.count - 1].steps.append(.await(index - 1)) }
    }
    var state = states[stop.thread]!
    let interval = interval(of: stop, &state)
    var steps = threads[state.place].steps
    wait(of: index, interval, &state, &steps)
    // A thread that comes from a wait needs a processor, however short a time.
    if interval.run > 0 || steps.last?.isWait ?? true { steps.append(.run(interval.run)) }
    if stop.action == .ends, stop.thread == stop.process { join(stop, &steps) }
    steps.append(.stop(index))
    threads[state.place].steps = steps
    state.cpu += interval.run
    cpu.append(state.cpu)
    state.last = index
    state.resumed = stop.resumed + cost(stop).after(stop)
    states[stop.thread] = state
    note(index)
  }

  private func cost(_ stop: OverheadCompensatedClock.Stop) -> OverheadCompensatedClock.StopCost {
    costs.of(stop)
  }

  private func interval(of stop: OverheadCompensatedClock.Stop, _ state: inout State) -> Interval {
    let cost = cost(stop)
    let tracerQueued = stop.tracerQueued - min(stop.tracerQueued, queuedBefore)
    let sight = stop.seen - min(stop.seen, tracerQueued)
    let passed = sight - min(sight, state.resumed)
    let late = passed > Self.sleep && !stop.isSystemCall ? cost.waking : cost.before(stop)
    let share = cost.running > 0 ? stop.share : nil
    let gross = share?.ran ?? passed
    let taken = (share == nil ? late : cost.running(stop)) + state.owed
    // What stops cost is known as a usual value. Where one was cheaper, nothing is left of the time up
    // to it, and the rest is owed by the time after it; but not more than one stop is worth, as a value
    // that is too high for this start would eat up its time.
    state.owed =
      taken > gross ? min(taken - gross, cost.before(stop) + cost.after(stop)) : 0
    let own = gross - min(gross, taken)
    guard let share else { return Interval(run: 0, off: own, hasWaited: true) }
    if share.isWhole { return Interval(run: own, off: 0, hasWaited: false) }
    // Of several threads, the replay decides who waits for a processor; on the tracer's, it waits for that.
    let elapsed = passed - min(passed, late)
    let known = own + (isShared || stop.sharesTracerCPU ? share.queued : 0)
    return Interval(run: own, off: elapsed - min(elapsed, known), hasWaited: true)
  }

  /// What a thread waited for before a stop.
  private mutating func wait(
    of index: Int, _ interval: Interval, _ state: inout State, _ steps: inout [Step]
  ) {
    let stop = stops[index]
    // A new thread stops before it does anything.
    if state.last == nil, stop.thread != mainThread { return }
    guard case .returns(let result) = stop.action, let last = state.last else {
      if case .waits = stop.action {} else { state.polls = [] }
      pause(before: stop, interval, &steps)
      return
    }
    let entry = stops[last].action
    if case .waits(state.polled, _) = entry, interval.hasWaited {} else { state.polls = [] }
    guard interval.hasWaited else { return }
    switch (entry, result) {
    case (.waits, Self.tryAgain): break
    case (.waits(let address, _), Self.timedOut):
      state.polled = address
      state.polls.append(steps.count)
      steps.append(.sleep(interval.off))
    case (.sleeps, _): steps.append(.sleep(interval.off))
    default: end(waitBefore: index, since: last, result, interval, &state, &steps)
    }
  }

  /// A thread that was off its processor without a system call, as for a page of a file.
  private func pause(
    before stop: OverheadCompensatedClock.Stop, _ interval: Interval, _ steps: inout [Step]
  ) {
    // It may have stopped while the tracer was busy with others, and was seen only then.
    let late = isShared && stop.share != nil ? stop.seen - busySince + Self.hiccup : 0
    if interval.off > late { steps.append(.sleep(interval.off - late)) }
  }

  /// Ends a wait with who ended it.
  private mutating func end(
    waitBefore index: Int, since entry: Int, _ result: Int64, _ interval: Interval,
    _ state: inout State, _ steps: inout [Step]
  ) {
    let polls = state.polls
    state.polls = []
    if let waker = waker(of: index, after: entry, result: result) {
      // It looked again and again for what others had kept from coming: all of it was one wait.
      for place in polls { steps[place] = .sleep(0) }
      explainedWaits += 1
      steps.append(.await(waker))
      if stops[waker].action == .ends { join(stops[index], &steps) }
    } else if !isShared || interval.off > Self.hiccup {
      steps.append(.sleep(interval.off))
      if isShared { unexplained += interval.off }
    }
  }

  /// Has a thread wait for all others of its process that have ended by now: who waits for the end of one
  /// mostly does for all, and those that have ended already need no system call.
  private mutating func join(_ stop: OverheadCompensatedClock.Stop, _ steps: inout [Step]) {
    let ended = ends.filter {
      !joined.contains($0.value) && $0.key != stop.thread && stops[$0.value].process == stop.process
    }
    for end in ended.values.sorted() { steps.append(.await(end)) }
    joined.formUnion(ended.values)
  }

  /// The stop behind which another thread ended a wait.
  private func waker(of index: Int, after entry: Int, result: Int64) -> Int? {
    let stop = stops[index]
    switch stops[entry].action {
    case .waits(let address, let value):
      if let end = UInt32(exactly: value).flatMap({ ends[$0] }), end > entry { return end }
      let wake = wakes[Futex(process: stop.process, address: address)]
      if let wake, stops[wake].resumed >= stops[entry].seen, stops[wake].thread != stop.thread {
        return wake
      }
    case .awaitsProcess:
      if let end = UInt32(exactly: result).flatMap({ ends[$0] }), end > entry { return end }
    default: break
    }
    return sender(of: index, after: entry)
  }

  /// The last of those system calls of other threads that were going on when a wait ended.
  private func sender(of index: Int, after entry: Int) -> Int? {
    let stop = stops[index]
    let share = stop.share ?? OverheadCompensatedClock.Share(ran: 0)
    let earlier = share.ran + share.queued + cost(stop).waking
    let woken = max(stops[entry].seen, stop.seen - min(stop.seen, earlier))
    return sent.filter { thread, call in
      thread != stop.thread && stops[call.stop].resumed >= stops[entry].seen
        && (call.over ?? .max) >= woken
    }.map(\.value.stop).max()
  }

  private mutating func note(_ index: Int) {
    let stop = stops[index]
    if stop.created != 0 {
      isShared = true
      if states[stop.created] == nil {
        begin(stop.created, at: stop.resumed)
        threads[threads.count - 1].steps.append(.await(index))
      }
    }
    switch stop.action {
    case .wakes(let address):
      wakes[Futex(process: stop.process, address: address)] = index
      sent[stop.thread] = Sent(stop: index)
    case .sends: sent[stop.thread] = Sent(stop: index)
    case .ends:
      ends[stop.thread] = index
      sent[stop.thread] = Sent(stop: index, over: stop.resumed + Self.ending)
    case .returns:
      if sent[stop.thread]?.over == nil { sent[stop.thread]?.over = stop.seen }
    default: break
    }
  }
}
