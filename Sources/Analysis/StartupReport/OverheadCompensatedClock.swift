import FirstlightModel

/// Time as a traced program would have had it without its tracer.
///
/// What each thread did is taken from its stops (`ThreadSteps`): between two of them, one that had a
/// processor all the time has as much time of its own as the scheduler counted for it, less what a stop
/// takes on that processor. One that waited for another thread waits until that would have come there
/// by its own time. One that slept has the time between its resumption and the sight of its next stop,
/// less what these usually come late. All that is then done again on the program's processors
/// (`ProcessorReplay`), since the tracer has handled one thread after the other. The clock never goes back.
package struct OverheadCompensatedClock: Sendable {
  /// What is known of the program's starts without a tracer, put to use.
  package struct Setting: Hashable, Sendable {
    /// What a stop cost, in parts of what was measured beforehand.
    package var costScale = 1.0
    /// Nanoseconds that a thread is ready before another processor than that of a running thread takes
    /// it; `.max`: none does.
    package var latency: UInt64 = 0
    /// From the moment on at which there was a second thread, each nanosecond stands for so many.
    package var stretch = 1.0

    package init() {}
  }

  private struct Entry {
    var seen: UInt64
    /// From here on the thread runs again.
    var resumed: UInt64
    /// The moment of the stop on the program's own clock.
    var own: UInt64
    /// Nanoseconds that the thread had run by then.
    var cpu: UInt64
  }

  package let setting: Setting
  /// Waits of threads that another ended.
  package let explainedWaits: Int
  /// Nanoseconds of waits whose end was not explained by an event, while there were other threads.
  package let unexplained: UInt64
  /// When there was a second thread or process, on the program's own clock; nil: there was none.
  package let sharedSince: UInt64?
  private var threads: [UInt32: [Entry]] = [:]
  /// Of each thread.
  private let processes: [UInt32: UInt32]
  private let stops: [Stop]
  private let costs: Costs
  private let mainThread: UInt32
  private let requested: UInt64
  private let processors: Int
  /// What stops usually took of a thread's processor, nanoseconds: their mean over all of them.
  private let meanRunningCost: UInt64

  /// - Parameters:
  ///   - stops: of all threads and processes, in the order in which they were seen.
  ///   - requested: when the program was requested: there both clocks are the same.
  ///   - processors: that the program may use at once.
  package init(
    stops: [Stop], cost costs: Costs, mainThread: UInt32, requested: UInt64, processors: Int = 1,
    setting: Setting = Setting()
  ) {
    self.stops = stops
    self.costs = costs
    self.mainThread = mainThread
    self.requested = requested
    self.processors = processors
    self.setting = setting
    let scaled = SeenCosts(costs, stops).scaled(by: setting.costScale)
    meanRunningCost =
      stops.isEmpty ? 0 : stops.reduce(0) { $0 + scaled.of($1).running($1) } / UInt64(stops.count)
    processes = Dictionary(
      stops.map { ($0.thread, $0.process) }, uniquingKeysWith: { _, last in last })
    let steps = ThreadSteps(stops, costs: scaled, mainThread: mainThread, requested: requested)
    explainedWaits = steps.explainedWaits
    unexplained = steps.unexplained
    let replay = ProcessorReplay(
      steps, stopCount: stops.count, processors: processors, latency: setting.latency,
      start: requested)
    let since = stops.firstIndex { $0.created != 0 }.map { replay.times[$0] }
    sharedSince = since
    for (index, stop) in stops.enumerated() {
      var own = replay.times[index]
      var cpu = steps.cpu[index]
      if let since, own > since, setting.stretch != 1 {
        own = since + UInt64(Double(own - since) * setting.stretch)
        // Time that is missing was spent on waiting for a processor.
        if setting.stretch < 1 { cpu = UInt64(Double(cpu) * setting.stretch) }
      }
      threads[stop.thread, default: []].append(
        Entry(
          seen: stop.seen, resumed: stop.resumed + scaled.of(stop).after(stop), own: own, cpu: cpu))
    }
  }

  /// The same stops under another setting.
  package func set(_ setting: Setting) -> OverheadCompensatedClock {
    OverheadCompensatedClock(
      stops: stops, cost: costs, mainThread: mainThread, requested: requested,
      processors: processors, setting: setting)
  }

  /// The same stops, had each cost so many times as much.
  package func scaled(by scale: Double) -> OverheadCompensatedClock {
    var setting = setting
    setting.costScale = scale
    return set(setting)
  }

  /// What the tracer has cost the main thread in all, nanoseconds.
  package var costOfMainThread: UInt64 {
    guard let last = threads[mainThread]?.last else { return 0 }
    let (passed, own) = (last.resumed - min(last.resumed, requested), last.own - requested)
    return passed - min(passed, own)
  }

  /// What the clock has done to times.
  ///
  /// - Parameter isOff: whether it could not be made to agree with starts that were left alone.
  package func correction(isOff: Bool) -> TimeCorrection {
    TimeCorrection(
      stopError: meanRunningCost, processors: sharedSince == nil ? nil : processors,
      stretch: setting.stretch, unexplainedWaits: unexplained, isOff: isOff)
  }

  /// Number of stops of all threads.
  package var stopCount: Int { stops.count }

  /// A moment at which a thread was seen to stop, or any other, on the program's own clock.
  ///
  /// - Parameters:
  ///   - time: CLOCK_MONOTONIC, nanoseconds.
  ///   - thread: nil: the main thread.
  package func time(_ time: UInt64, thread: UInt32? = nil) -> UInt64 {
    let entries = entries(of: thread)
    let next = Self.firstEntry(entries, from: time)
    if next < entries.count, entries[next].seen == time { return entries[next].own }
    let most = next < entries.count ? entries[next].own : .max
    guard next > 0 else { return min(most, time) }
    // Within a stop, the program's time stands still.
    let last = entries[next - 1]
    return min(most, last.own + (time - min(time, last.resumed)))
  }

  /// Nanoseconds that a thread had run by such a moment; nil: nothing is known of it.
  package func cpuTime(_ time: UInt64, thread: UInt32) -> UInt64? {
    let entries = entries(of: thread)
    let next = Self.firstEntry(entries, from: time)
    if next < entries.count, entries[next].seen == time { return entries[next].cpu }
    return next > 0 ? entries[next - 1].cpu : nil
  }

  /// Nanoseconds that all threads of a process together had run by such a moment.
  package func cpuTime(_ time: UInt64, process: UInt32) -> UInt64 {
    threads.keys.reduce(0) { sum, thread in
      processes[thread] == process ? sum + (cpuTime(time, thread: thread) ?? 0) : sum
    }
  }

  /// Number of a thread's stops up to such a moment.
  package func stopCount(_ time: UInt64, thread: UInt32) -> Int {
    Self.firstEntry(entries(of: thread), from: time)
  }

  /// The thread with the last stop at such a moment, from which the program's own time is known.
  package func lastThread(at time: UInt64) -> UInt32? {
    stops.last { $0.seen <= time }?.thread
  }

  private func entries(of thread: UInt32?) -> [Entry] {
    threads[thread ?? mainThread] ?? threads[mainThread] ?? []
  }

  /// The first stop at or after a moment.
  private static func firstEntry(_ entries: [Entry], from time: UInt64) -> Int {
    entries.partitioningIndex { $0.seen >= time }
  }
}
