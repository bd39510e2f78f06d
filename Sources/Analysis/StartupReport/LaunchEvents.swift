import FirstlightModel

/// The events of one process's start-up that a tracer saw: the input of a launch record.
///
/// Times are CLOCK_MONOTONIC, nanoseconds, as seen; `clock` subtracts the tracer's share.
package struct LaunchEvents: Sendable {
  /// Page faults of the process so far.
  package struct Faults: Hashable, Sendable {
    package var minor: UInt64
    package var major: UInt64

    package init(minor: UInt64 = 0, major: UInt64 = 0) {
      self.minor = minor
      self.major = major
    }

    static func - (a: Faults, b: Faults) -> Faults {
      Faults(minor: a.minor - min(a.minor, b.minor), major: a.major - min(a.major, b.major))
    }
  }

  package struct Moment: Hashable, Sendable {
    package var time: UInt64
    package var faults: Faults

    package init(time: UInt64, faults: Faults) {
      self.time = time
      self.faults = faults
    }
  }

  /// A function that marks a step of the start-up.
  package enum Landmark: Hashable, Sendable {
    /// The program's first instruction.
    case start
    case main
    /// - Parameter name: linker name; empty without one.
    case initializer(name: String)
  }

  /// One call of a landmark.
  package struct Visit: Sendable {
    package var landmark: Landmark
    /// Path of its image.
    package var image: String
    /// Link-time address.
    package var address: UInt64
    package var thread: UInt32
    package var entry: Moment
    /// nil: the return was not seen.
    package var exit: Moment?

    package init(
      landmark: Landmark, image: String, address: UInt64, thread: UInt32, entry: Moment,
      exit: Moment?
    ) {
      self.landmark = landmark
      self.image = image
      self.address = address
      self.thread = thread
      self.entry = entry
      self.exit = exit
    }
  }

  /// A system call of the loader.
  package struct SystemCall: Sendable {
    package enum Kind: Sendable { case open, map, protect, close, other }
    package var kind: Kind
    package var began: UInt64
    package var end: Moment
    package var arguments: [UInt64]
    package var result: Int64
    /// The path of an `open`.
    package var path: String

    package init(
      kind: Kind, began: UInt64, end: Moment, arguments: [UInt64], result: Int64, path: String
    ) {
      self.kind = kind
      self.began = began
      self.end = end
      self.arguments = arguments
      self.result = result
      self.path = path
    }
  }

  package var clock: OverheadCompensatedClock
  package var mainThread: UInt32
  /// When the start of the program was requested.
  package var requested: UInt64
  /// When the program stood before its first instruction, or its loader's.
  package var executed: Moment
  /// The same of the first program that the process executed; nil: it executed no other.
  package var executedEarlier: Moment?
  /// Path of the executable, and its mapping address.
  package var program: String
  package var programRange: Range<UInt64>
  package var hasLoader: Bool
  package var loader: String
  /// When the loader announced that libraries are added or removed, in order.
  package var librariesTold: [Moment]
  package var systemCalls: [SystemCall]
  /// In the order of entry.
  package var visits: [Visit]
  /// The request for a Lambda event, and nanoseconds of CPU time of all threads until then; nil: unknown.
  package var asked: Moment?
  package var askedCPUTime: UInt64?
  /// The end of the start-up, or of the program.
  package var end: Moment
  /// The thread whose clock has that end; nil: the main thread.
  package var endThread: UInt32?
  /// Nanoseconds of CPU time of all threads from the request to the end; nil: unknown.
  package var cpuTime: UInt64?

  package init(
    clock: OverheadCompensatedClock, mainThread: UInt32, requested: UInt64, executed: Moment,
    executedEarlier: Moment? = nil, program: String,
    programRange: Range<UInt64>, hasLoader: Bool, loader: String, librariesTold: [Moment],
    systemCalls: [SystemCall], visits: [Visit], asked: Moment? = nil, askedCPUTime: UInt64? = nil,
    end: Moment, endThread: UInt32?, cpuTime: UInt64? = nil
  ) {
    self.clock = clock
    self.mainThread = mainThread
    self.requested = requested
    self.executed = executed
    self.executedEarlier = executedEarlier
    self.program = program
    self.programRange = programRange
    self.hasLoader = hasLoader
    self.loader = loader
    self.librariesTold = librariesTold
    self.systemCalls = systemCalls
    self.visits = visits
    self.asked = asked
    self.askedCPUTime = askedCPUTime
    self.end = end
    self.endThread = endThread
    self.cpuTime = cpuTime
  }

  /// Nanoseconds of the program's own time since the request.
  package func since(_ time: UInt64, thread: UInt32? = nil) -> UInt64 {
    let own = clock.time(time, thread: thread)
    return own - min(own, requested)
  }

  /// Nanoseconds of the program's own time from the request to the end of the start-up.
  package var duration: UInt64 { since(end.time, thread: endThread) }

  /// Nanoseconds of the program's own time from its start to its request for a Lambda event; nil: there was none.
  package var initialization: UInt64? { asked.map { since($0.time) } }

  /// The duration of each stage, and the CPU time of all threads in it.
  package func measured(_ overhead: StageOverhead) -> [LaunchStage.Kind: ClockFit.Measured] {
    var stages: [LaunchStage.Kind: ClockFit.Measured] = [:]
    for (stage, stretches) in zip(stageEnds, stretches) {
      stages[stage.kind] = overhead.measured(stretches)
    }
    return stages
  }

  /// The same start, with stages as long as in starts with fewer stops.
  package func fitted(to measured: [LaunchStage.Kind: ClockFit.Measured]) -> (
    LaunchEvents, ClockFit
  ) {
    // No stop divides a Lambda event from the stage before it: both are fitted as one.
    let last = stageEnds.count - 2
    let fit = ClockFit(
      clock,
      stageEnds.enumerated().compactMap { place, stage in
        if asked != nil, place == last { return nil }
        guard stage.kind == .event, let event = measured[.event],
          let before = measured[stageEnds[last].kind]
        else { return (stage.moment.time, measured[stage.kind]) }
        return (
          stage.moment.time,
          ClockFit.Measured(
            duration: before.duration + event.duration, cpuTime: before.cpuTime + event.cpuTime)
        )
      })
    var events = self
    events.clock = clock.fitted(to: fit.parts)
    return (events, fit)
  }
}
