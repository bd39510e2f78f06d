import FirstlightModel
import RunStatistics

/// The summary of several starts of one program: the input of the formats.
package struct StartupReport: Sendable {
  /// The conditions of the starts.
  package struct Conditions: Sendable {
    package var command: [String]
    /// The end of a start-up, for people: "exit", "port:8080", "1.5 s" (`ReadinessCondition.text`).
    package var until: String
    package var isCold: Bool
    package var host: Host
    /// The source of the readiness event, for people.
    package var source: String
    /// Remarks, one line each.
    package var notes: [String]
    /// What is different in traced starts, for people. Texts begin with it. Nil: no difference is known.
    package var tracedDifference: String?

    package init(
      command: [String], until: String, isCold: Bool, host: Host, source: String, notes: [String],
      tracedDifference: String? = nil
    ) {
      self.tracedDifference = tracedDifference
      self.command = command
      self.until = until
      self.isCold = isCold
      self.host = host
      self.source = source
      self.notes = notes
    }
  }

  /// An untraced start: only its exec and its end were observed.
  package struct PlainStart: Sendable, Encodable {
    /// Nanoseconds from the request to the end of the start-up.
    package var duration: UInt64
    package var minorFaults: UInt64
    package var majorFaults: UInt64
    /// Nanoseconds of CPU time of all threads; nil: unknown.
    package var cpuTime: UInt64?
    /// Nanoseconds from the start to the request for a Lambda event; nil: there was none.
    package var initialization: UInt64?

    enum CodingKeys: CodingKey { case duration, minorFaults, majorFaults, initialization }

    package init(
      duration: UInt64, minorFaults: UInt64, majorFaults: UInt64, cpuTime: UInt64? = nil,
      initialization: UInt64? = nil
    ) {
      self.initialization = initialization
      self.duration = duration
      self.cpuTime = cpuTime
      self.minorFaults = minorFaults
      self.majorFaults = majorFaults
    }
  }

  /// A start with the stops that mark its stages.
  package struct WatchedStart: Sendable, Encodable {
    package var record: LaunchRecord
    /// Stops of all threads.
    package var stops: Int
    /// Nanoseconds of all stages, corrected by the cost of stops that other starts show.
    package var checked: Double

    enum CodingKeys: String, CodingKey {
      case record, stops
    }

    /// - Parameter checked: the duration of all stages if nil.
    package init(record: LaunchRecord, stops: Int, checked: Double? = nil) {
      self.record = record
      self.stops = stops
      self.checked = checked ?? Double(record.duration)
    }
  }

  /// Relocations of one image, by kind.
  package struct Relocations: Sendable, Encodable {
    package var image: String
    package var counts: [String: Int]
    package var packed: Int

    package init(image: String, counts: [String: Int], packed: Int) {
      self.image = image
      self.counts = counts
      self.packed = packed
    }
  }

  package var conditions: Conditions
  package var plain: [PlainStart]
  package var watched: [WatchedStart]
  /// Starts with traced initializers and loader too; their stages are as long as those of `watched`.
  package var detailed: [LaunchRecord]
  package var relocations: [Relocations]
  /// The start with a breakpoint on each function; nil: there was none.
  package var calls: CallTree?
  /// Marks that the program set in that start, with times on the program's own clock since the request.
  package var marks: [ProgramMark] = []
  /// Of the start with traced look-ups; nil: the program has none.
  package var lookups: ConformanceLookups?
  /// Names for people, by linker name.
  package var names: [String: String]
  /// Why the report is incomplete: the event that replaced the start-up; nil: the program started.
  package var failure: String?
  /// Whether traced starts ended like untraced ones. If not, the report has none of them.
  package var tracedEndAlike = true

  package init(
    conditions: Conditions, plain: [PlainStart], watched: [WatchedStart],
    detailed: [LaunchRecord], relocations: [Relocations], calls: CallTree? = nil,
    names: [String: String] = [:],
    failure: String? = nil
  ) {
    self.conditions = conditions
    self.plain = plain
    self.watched = watched
    self.detailed = detailed
    self.relocations = relocations
    self.calls = calls
    self.names = names
    self.failure = failure
  }

  /// Seconds of the plain starts.
  package var wall: Sample { Sample(plain.map { Double($0.duration) / 1e9 }) }

  /// Seconds of the plain starts up to the request for a Lambda event; empty: there was none.
  package var initialization: Sample {
    Sample(plain.compactMap { $0.initialization.map { Double($0) / 1e9 } })
  }

  /// Seconds of all stages together of the watched starts.
  package var sum: Sample { Sample(watched.map { Double($0.record.duration) / 1e9 }) }

  /// The sum of the stages of watched starts, as a share of the time of plain starts; nil: one kind of start is
  /// missing.
  package var share: Double? {
    guard !watched.isEmpty, wall.count > 0, wall.median > 0 else { return nil }
    return Sample(watched.map { $0.checked / 1e9 }).median / wall.median
  }
}
