import FirstlightModel

/// The time of a traced program without its tracer.
///
/// A thread's time stands still while the tracer holds the thread. A fit (`ClockFit`) changes times further: a
/// thread has run for its CPU time, less the cost of its stops, and waits of the main thread are scaled until
/// each stage lasts as long as in starts with few stops. Waits of other threads end by the main thread's time.
/// The clock never goes back.
package struct OverheadCompensatedClock: Sendable {
  /// One stop of a thread; CLOCK_MONOTONIC, nanoseconds.
  package struct Stop: Sendable {
    package var thread: UInt32
    /// The new thread that the stop announced; 0: none.
    package var created: UInt32
    package var seen: UInt64
    package var resumed: UInt64
    /// Whether the stop was at the begin or the end of a system call: such stops cost less.
    package var isSystemCall: Bool
    /// CPU time since the thread's previous stop, or since the request; nil: unknown.
    package var share: Share?

    package init(
      thread: UInt32, created: UInt32 = 0, seen: UInt64, resumed: UInt64,
      isSystemCall: Bool = false, share: Share? = nil
    ) {
      self.thread = thread
      self.created = created
      self.seen = seen
      self.resumed = resumed
      self.isSystemCall = isSystemCall
      self.share = share
    }
  }

  /// CPU time of a thread from the scheduler's counters, nanoseconds.
  package struct Share: Hashable, Sendable {
    package var ran: UInt64
    /// Time in which the thread waited for a CPU.
    package var queued: UInt64
    /// Whether the thread had a CPU all the time: it neither slept nor waited.
    package var isWhole: Bool

    package init(ran: UInt64, queued: UInt64 = 0, isWhole: Bool = true) {
      self.ran = ran
      self.queued = queued
      self.isWhole = isWhole
    }
  }

  private struct Entry {
    var seen: UInt64
    /// When the thread resumed.
    var resumed: UInt64
    /// The moment of the stop on the program's own clock.
    var own: Double
    /// Nanoseconds that the thread had run at the stop.
    var cpu: Double
  }

  package let stops: [Stop]
  package let mainThread: UInt32
  package let requested: UInt64
  private let parts: [ClockFit.Part]
  private var threads: [UInt32: [Entry]] = [:]

  /// - Parameters:
  ///   - stops: the stops of all threads and processes, in the order in which the tracer saw them.
  ///   - requested: when the program was requested. Both clocks agree at this time.
  ///   - parts: facts from starts with fewer stops, by time.
  package init(
    stops: [Stop], mainThread: UInt32, requested: UInt64, parts: [ClockFit.Part] = []
  ) {
    self.stops = stops
    self.mainThread = mainThread
    self.requested = requested
    self.parts = parts
    threads[mainThread] = [
      Entry(seen: requested, resumed: requested, own: Double(requested), cpu: 0)
    ]
    for stop in stops where stop.thread == mainThread { add(stop) }
    for stop in stops {
      if stop.thread != mainThread { add(stop) }
      if stop.created != 0, threads[stop.created] == nil {
        threads[stop.created] = [
          Entry(
            seen: stop.seen, resumed: stop.resumed,
            own: Double(time(stop.seen, thread: stop.thread)), cpu: 0)
        ]
      }
    }
  }

  private mutating func add(_ stop: Stop) {
    guard let last = threads[stop.thread]?.last else {
      // The stop that announces the thread is missing.
      threads[stop.thread] = [
        Entry(seen: stop.seen, resumed: stop.resumed, own: world(stop.seen), cpu: 0)
      ]
      return
    }
    let interval = ClockFit.Interval(stop, since: last.resumed)
    var entry = last
    (entry.seen, entry.resumed) = (stop.seen, stop.resumed)
    if let part = part(at: stop.seen) {
      let ran = max(0, interval.ran - part.cost(stop)) * part.running
      entry.cpu += ran
      entry.own += ran * part.stretch
      if stop.thread == mainThread {
        entry.own += interval.off * part.waiting * part.stretch
      } else if interval.off > 0 {
        entry.own = max(entry.own, world(stop.seen))
      }
    } else {
      entry.cpu += interval.ran
      entry.own += interval.passed
    }
    threads[stop.thread]!.append(entry)
  }

  /// The same stops, fitted to facts from starts with fewer stops.
  package func fitted(to parts: [ClockFit.Part]) -> OverheadCompensatedClock {
    OverheadCompensatedClock(
      stops: stops, mainThread: mainThread, requested: requested, parts: parts)
  }

  private func part(at time: UInt64) -> ClockFit.Part? {
    parts.first { time <= $0.end } ?? parts.last
  }

  /// The main thread's time.
  private func world(_ time: UInt64) -> Double { own(time, threads[mainThread]!) }

  private func own(_ time: UInt64, _ entries: [Entry]) -> Double {
    let next = Self.firstEntry(entries, from: time)
    if next < entries.count, entries[next].seen == time { return entries[next].own }
    guard next > 0 else { return Double(time) }
    // The program's time stands still during a stop.
    let last = entries[next - 1]
    let passed = Double(time - min(time, last.resumed))
    guard next < entries.count else {
      guard let part = part(at: time) else { return last.own + passed }
      return last.own + passed * part.waiting * part.stretch
    }
    let span = Double(entries[next].seen - min(entries[next].seen, last.resumed))
    return span > 0 ? last.own + (entries[next].own - last.own) * min(1, passed / span) : last.own
  }

  /// Converts a time, such as a thread's stop, to the program's own clock.
  ///
  /// - Parameters:
  ///   - time: CLOCK_MONOTONIC, nanoseconds.
  ///   - thread: nil: the main thread.
  package func time(_ time: UInt64, thread: UInt32? = nil) -> UInt64 {
    UInt64(own(time, entries(of: thread)))
  }

  /// Nanoseconds that a thread had run at a time; nil: unknown.
  package func cpuTime(_ time: UInt64, thread: UInt32) -> UInt64? {
    let entries = entries(of: thread)
    let next = Self.firstEntry(entries, from: time)
    if next < entries.count, entries[next].seen == time { return UInt64(entries[next].cpu) }
    return next > 0 ? UInt64(entries[next - 1].cpu) : nil
  }

  /// Number of a thread's stops before a time.
  package func stopCount(_ time: UInt64, thread: UInt32) -> Int {
    Self.firstEntry(entries(of: thread), from: time)
  }

  private func entries(of thread: UInt32?) -> [Entry] {
    threads[thread ?? mainThread] ?? threads[mainThread]!
  }

  /// The first stop at or after a moment.
  private static func firstEntry(_ entries: [Entry], from time: UInt64) -> Int {
    entries.partitioningIndex { $0.seen >= time }
  }
}
