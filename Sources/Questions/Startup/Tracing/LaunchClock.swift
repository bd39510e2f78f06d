import FirstlightModel

/// The time of a traced program without its tracer.
///
/// A thread's time stands still while the tracer holds the thread. Stages may get other lengths than they have in this
/// start: then a thread's time in a stage is scaled to the length of the stage by one factor.
struct LaunchClock: Sendable {
  /// One stop of a thread; CLOCK_MONOTONIC, nanoseconds.
  struct Stop: Sendable {
    var thread: UInt32
    /// The new thread that the stop announced; 0: none.
    var created: UInt32 = 0
    var seen: UInt64
    var resumed: UInt64
  }

  /// A moment by CLOCK_MONOTONIC, and on the program's own clock.
  struct Anchor: Sendable {
    var time: UInt64
    var own: UInt64
  }

  private struct Thread {
    var begin: Anchor
    var stops: [Stop] = []
    /// Nanoseconds that the thread was held before each stop.
    var held: [UInt64] = []

    mutating func add(_ stop: Stop) {
      let last = stops.last
      held.append((held.last ?? 0) + (last.map { $0.resumed - $0.seen } ?? 0))
      let seen = max(stop.seen, last?.resumed ?? 0)
      stops.append(Stop(thread: stop.thread, seen: seen, resumed: max(seen, stop.resumed)))
    }

    func stopsBefore(_ time: UInt64) -> Int { stops.partitioningIndex { $0.seen >= time } }

    /// Nanoseconds from the thread's beginning to a time, without stops.
    func free(_ time: UInt64) -> UInt64 {
      let passed = time - min(time, begin.time)
      let count = stopsBefore(time)
      guard count > 0 else { return passed }
      let last = stops[count - 1]
      return passed - min(passed, held[count - 1] + min(time, last.resumed) - last.seen)
    }
  }

  let stops: [Stop]
  let mainThread: UInt32
  let requested: UInt64
  /// The ends of the stages, in order.
  private let stages: [Anchor]
  private var threads: [UInt32: Thread] = [:]

  /// - Parameters:
  ///   - stops: the stops of all threads and processes, in the order in which the tracer saw them.
  ///   - requested: when the program was requested. Both clocks agree at this time.
  ///   - stages: the ends of stages with known lengths, in order.
  init(
    stops: [Stop], mainThread: UInt32, requested: UInt64, stages: [Anchor] = []
  ) {
    self.stops = stops
    self.mainThread = mainThread
    self.requested = requested
    self.stages = stages
    threads[mainThread] = Thread(begin: Anchor(time: requested, own: requested))
    // A thread begins when another one announces it, or else with its first stop.
    var origins: [(thread: UInt32, creator: UInt32?)] = []
    func begin(_ thread: UInt32, at time: UInt64, by creator: UInt32?) {
      guard threads[thread] == nil else { return }
      threads[thread] = Thread(begin: Anchor(time: time, own: 0))
      origins.append((thread, creator))
    }
    for stop in stops {
      begin(stop.thread, at: stop.seen, by: nil)
      threads[stop.thread]!.add(stop)
      if stop.created != 0 { begin(stop.created, at: stop.seen, by: stop.thread) }
    }
    for (thread, creator) in origins {
      threads[thread]!.begin.own = time(threads[thread]!.begin.time, thread: creator)
    }
  }

  /// The same stops, with stages that end at these moments.
  func scaled(to stages: [Anchor]) -> LaunchClock {
    LaunchClock(stops: stops, mainThread: mainThread, requested: requested, stages: stages)
  }

  /// Converts a time, such as a thread's stop, to the program's own clock.
  ///
  /// - Parameters:
  ///   - time: CLOCK_MONOTONIC, nanoseconds.
  ///   - thread: nil: the main thread.
  func time(_ time: UInt64, thread: UInt32? = nil) -> UInt64 {
    let thread = self.thread(thread)
    let place = stages.partitioningIndex { $0.time >= time }
    var from = thread.begin
    if place > 0, stages[place - 1].time > from.time { from = stages[place - 1] }
    let free = thread.free(time) - thread.free(from.time)
    guard place < stages.count else { return from.own + free }
    let all = thread.free(stages[place].time) - thread.free(from.time)
    guard all > 0 else { return from.own }
    let length = stages[place].own - min(from.own, stages[place].own)
    return from.own + UInt64(Double(length) * (Double(free) / Double(all)))
  }

  /// Number of a thread's stops before a time.
  func stopCount(_ time: UInt64, thread: UInt32) -> Int {
    self.thread(thread).stopsBefore(time)
  }

  private func thread(_ thread: UInt32?) -> Thread {
    threads[thread ?? mainThread] ?? threads[mainThread]!
  }
}
