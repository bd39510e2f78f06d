import FirstlightModel

/// The events of one process's start-up that a tracer saw: the input of a launch record.
///
/// Times are CLOCK_MONOTONIC, nanoseconds, as seen; `clock` subtracts the tracer's share.
struct LaunchEvents: Sendable {
  /// Page faults of the process so far.
  struct Faults: Hashable, Sendable {
    var minor: UInt64 = 0
    var major: UInt64 = 0

    static func - (a: Faults, b: Faults) -> Faults {
      Faults(minor: a.minor - min(a.minor, b.minor), major: a.major - min(a.major, b.major))
    }
  }

  struct Moment: Hashable, Sendable {
    var time: UInt64
    var faults: Faults
  }

  /// A function that marks a step of the start-up.
  enum Landmark: Hashable, Sendable {
    /// The program's first instruction.
    case start
    case main
    /// - Parameter name: linker name; empty without one.
    case initializer(name: String)
  }

  /// One call of a landmark.
  struct Visit: Sendable {
    var landmark: Landmark
    /// Path of its image.
    var image: String
    /// Link-time address.
    var address: UInt64
    var thread: UInt32
    var entry: Moment
    /// nil: the return was not seen.
    var exit: Moment?
  }

  /// A system call of the loader.
  struct SystemCall: Sendable {
    enum Kind: Sendable { case open, map, protect, close, other }
    var kind: Kind
    var began: UInt64
    var end: Moment
    var arguments: [UInt64]
    var result: Int64
    /// The path of an `open`.
    var path: String
  }

  var clock: LaunchClock
  var mainThread: UInt32
  /// When the start of the program was requested.
  var requested: UInt64
  /// When the program stood before its first instruction, or its loader's.
  var executed: Moment
  /// The same moment of the first program that the process executed; nil: it executed no other.
  var executedEarlier: Moment?
  /// Path of the executable, and its mapping address.
  var program: String
  var programRange: Range<UInt64>
  var hasLoader: Bool
  var loader: String
  /// When the loader announced that libraries are added or removed, in order.
  var librariesTold: [Moment]
  var systemCalls: [SystemCall]
  /// In the order of entry.
  var visits: [Visit]
  /// The end of the start-up, or of the program.
  var end: Moment
  /// Nanoseconds of CPU time of all threads from the request to the end; nil: unknown.
  var cpuTime: UInt64?

  /// Nanoseconds of the program's own time since the request.
  func since(_ time: UInt64, thread: UInt32? = nil) -> UInt64 {
    let own = clock.time(time, thread: thread)
    return own - min(own, requested)
  }

  /// Nanoseconds of the program's own time from the request to the end of the start-up.
  var duration: UInt64 { since(end.time) }

  /// Nanoseconds of each stage, in order. The loader's work is one stage.
  var stageLengths: [(kind: LaunchStage.Kind, length: UInt64)] {
    var begin: UInt64 = 0
    return stageEnds.map { stage in
      let end = max(begin, since(stage.moment.time))
      defer { begin = end }
      return (stage.kind, end - begin)
    }
  }

  /// The same start, with stages as long as in starts with fewer stops.
  ///
  /// - Parameter lengths: nanoseconds; stages without one keep theirs.
  /// - Returns: also the factor of the longest stage.
  func scaled(to lengths: [LaunchStage.Kind: UInt64]) -> (LaunchEvents, scale: Double) {
    var (time, own) = (requested, requested)
    var longest: (length: UInt64, scale: Double) = (0, 1)
    let anchors = zip(stageEnds, stageLengths).map { end, stage in
      let length = lengths[stage.kind] ?? stage.length
      if length > longest.length, stage.length > 0 {
        longest = (length, Double(length) / Double(stage.length))
      }
      own += length
      time = max(time, end.moment.time)
      return LaunchClock.Anchor(time: time, own: own)
    }
    var events = self
    events.clock = clock.scaled(to: anchors)
    return (events, longest.scale)
  }
}
