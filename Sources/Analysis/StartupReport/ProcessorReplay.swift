/// Has the steps of all threads done again, on so many processors and without a tracer.
///
/// A thread that is ready gets a processor in the order of being ready, and keeps it while it runs, for a
/// slice at most if others are ready. Another processor than that of a running thread takes one only
/// after a while: it has to wake up, and to find out. Steps await what was seen before them, so each
/// thread comes to its end. Time is O(n log n) in the number of steps.
struct ProcessorReplay {
  /// For each stop when it came, nanoseconds.
  private(set) var times: [UInt64]
  /// When it was over.
  private(set) var end: UInt64 = 0

  private let processors: Int
  private let latency: UInt64
  private var threads: [Thread]
  private var ready: [Int] = []
  private var firstReady = 0
  private var running = 0
  private var events = EventQueue()
  private var isDone: [Bool]
  private var awaiting: [Int: [Int]] = [:]

  private struct Thread {
    var steps: [ThreadSteps.Step]
    var next = 0
    /// Left of the step that it is in.
    var left: UInt64 = 0
    var readySince: UInt64 = 0
  }

  /// As long as schedulers let one run if others are ready, about.
  private static let slice: UInt64 = 3_000_000

  /// - Parameters:
  ///   - start: when the first thread begins.
  ///   - latency: of a processor that another thread's does not do for.
  init(
    _ steps: ThreadSteps, stopCount: Int, processors: Int, latency: UInt64, start: UInt64
  ) {
    times = Array(repeating: start, count: stopCount)
    isDone = Array(repeating: false, count: stopCount)
    self.processors = max(1, processors)
    self.latency = latency
    threads = steps.threads.map { Thread(steps: $0.steps) }
    for thread in threads.indices { proceed(thread, at: start) }
    dispatch(at: start)
    while let event = events.next() {
      switch event.kind {
      case .look: dispatch(at: event.time)
      case .awake:
        proceed(event.thread, at: event.time)
        dispatch(at: event.time)
      case .ran:
        let before = running
        running -= 1
        run(event.thread, at: event.time)
        dispatch(at: event.time, hasFree: running < before)
      }
      end = max(end, event.time)
    }
  }

  /// A thread has used a piece of its time.
  private mutating func run(_ thread: Int, at now: UInt64) {
    let used = min(threads[thread].left, Self.slice)
    threads[thread].left -= used
    if threads[thread].left > 0 {
      makeReady(thread, at: now)
    } else {
      threads[thread].next += 1
      proceed(thread, at: now, hadProcessor: true)
    }
  }

  /// Goes on with a thread that has no processor, up to where it needs one or waits.
  private mutating func proceed(_ thread: Int, at now: UInt64, hadProcessor: Bool = false) {
    while threads[thread].next < threads[thread].steps.count {
      switch threads[thread].steps[threads[thread].next] {
      case .stop(let stop):
        times[stop] = now
        isDone[stop] = true
        for other in awaiting.removeValue(forKey: stop) ?? [] { proceed(other, at: now) }
      case .await(let stop):
        if !isDone[stop] {
          awaiting[stop, default: []].append(thread)
          return
        }
      case .sleep(let span):
        if span > 0 {
          threads[thread].steps[threads[thread].next] = .sleep(0)
          events.add(Event(time: now + span, kind: .awake, thread: thread))
          return
        }
      case .run(let span):
        threads[thread].left = span
        if hadProcessor { occupy(thread, at: now) } else { makeReady(thread, at: now) }
        return
      }
      threads[thread].next += 1
    }
  }

  private mutating func makeReady(_ thread: Int, at now: UInt64) {
    threads[thread].readySince = now
    ready.append(thread)
    if latency > 0, latency < .max {
      events.add(Event(time: now + latency, kind: .look, thread: thread))
    }
  }

  private mutating func occupy(_ thread: Int, at now: UInt64) {
    running += 1
    events.add(
      Event(time: now + min(threads[thread].left, Self.slice), kind: .ran, thread: thread))
  }

  /// Gives free processors to threads that are ready.
  ///
  /// - Parameter hasFree: one has become free just now, and need not wake up.
  private mutating func dispatch(at now: UInt64, hasFree: Bool = false) {
    var isAwake = hasFree || running == 0
    while firstReady < ready.count, running < processors {
      let thread = ready[firstReady]
      let waited = now - threads[thread].readySince
      guard isAwake || waited >= latency else { return }
      isAwake = false
      firstReady += 1
      occupy(thread, at: now)
    }
  }
}

/// What comes next, by time; of the same moment, what was added first.
private struct EventQueue {
  private var heap: [(event: Event, order: Int)] = []
  private var added = 0

  mutating func add(_ event: Event) {
    heap.append((event, added))
    added += 1
    var at = heap.count - 1
    while at > 0, isBefore(at, (at - 1) / 2) {
      heap.swapAt(at, (at - 1) / 2)
      at = (at - 1) / 2
    }
  }

  mutating func next() -> Event? {
    guard let first = heap.first else { return nil }
    let last = heap.removeLast()
    if heap.isEmpty { return first.event }
    heap[0] = last
    var at = 0
    while true {
      var least = at
      for child in (2 * at + 1)...(2 * at + 2) where child < heap.count && isBefore(child, least) {
        least = child
      }
      if least == at { return first.event }
      heap.swapAt(at, least)
      at = least
    }
  }

  private func isBefore(_ a: Int, _ b: Int) -> Bool {
    (heap[a].event.time, heap[a].order) < (heap[b].event.time, heap[b].order)
  }
}

private struct Event {
  enum Kind {
    /// A thread that is ready may get a processor.
    case look
    /// A thread has slept enough.
    case awake
    /// A thread has used its processor.
    case ran
  }

  var time: UInt64
  var kind: Kind
  var thread: Int
}
