import FirstlightModel

/// The summary of several starts of one program: the input of the formats.
package struct StartupReport: Sendable {
  /// An untraced start: only its exec and its end were observed.
  package struct PlainStart: Sendable, Encodable {
    /// Nanoseconds from the request to the end of the start-up.
    package var duration: UInt64
    package var minorFaults: UInt64
    package var majorFaults: UInt64
    /// Nanoseconds of CPU time of all threads; nil: unknown.
    package var cpuTime: UInt64? = nil

    enum CodingKeys: CodingKey { case duration, minorFaults, majorFaults }
  }

  /// A start with the stops that mark its stages.
  package struct WatchedStart: Sendable, Encodable {
    package var record: LaunchRecord
    /// Nanoseconds that its stops cost, and which its stages lack.
    package var tracing: UInt64
    /// Stops of all threads.
    package var stops: Int
  }

  /// Relocations of one image, by kind.
  package struct Relocations: Sendable, Encodable {
    package var image: String
    package var counts: [TextBytes: Int]
    package var packed: Int

    package init(image: String, counts: [TextBytes: Int], packed: Int) {
      self.image = image
      self.counts = counts
      self.packed = packed
    }
  }

  package var command: [String]
  package var conditions: MeasuringConditions
  /// The source of the readiness event, for people.
  package var source: String
  /// A remark on how traced starts differ, with which texts begin. Nil: no difference is known.
  var tracedDifference: String?
  package var plain: [PlainStart]
  package var watched: [WatchedStart]
  /// Starts with traced initializers and loader too; their stages are as long as those of `watched`.
  package var detailed: [LaunchRecord]
  package var relocations: [Relocations] = []
  /// The start with a breakpoint on each function; nil: there was none.
  package var calls: CallTree?
  /// Marks that the program set in that start, with times on the program's own clock since the request.
  package var marks: [ProgramMark] = []
  /// The look-ups of the start that traced them; nil: the program has none.
  package var lookups: ConformanceLookups?
  /// Names for people, by linker name.
  package var names: [TextBytes: String] = [:]
  /// Why the report is incomplete: the event that replaced the start-up; nil: the program started.
  package var failure: String?
  /// Whether traced starts ended like untraced ones. If not, the report has none of them.
  package var tracedEndAlike = true

  init(
    command: [String], conditions: MeasuringConditions, source: String, plain: [PlainStart],
    watched: [WatchedStart],
    detailed: [LaunchRecord]
  ) {
    self.command = command
    self.conditions = conditions
    self.source = source
    self.plain = plain
    self.watched = watched
    self.detailed = detailed
  }

  /// Seconds of the plain starts.
  package var wall: Sample { Sample(plain.map { Double($0.duration) / 1e9 }) }

  /// Seconds of all stages together, and of tracing: the medians of the rows, so that these add up.
  package var sum: Double { stageRows.reduce(0) { $0 + $1.duration.median } }
  package var tracing: Sample { Sample(watched.map { Double($0.tracing) / 1e9 }) }

  /// The sum of the stages of watched starts, as a share of the time of plain starts; nil: one kind of start is
  /// missing.
  package var share: Double? {
    guard !watched.isEmpty, wall.count > 0, wall.median > 0 else { return nil }
    return sum / wall.median
  }

  /// Whether starts that take 5% longer could not be told from these, by the rule of a comparison's times; nil: there
  /// are too few.
  ///
  /// - Parameter starts: seconds.
  static func isTooNoisy(_ starts: Sample) -> Bool? {
    let milliseconds = Sample(starts.sorted.map { $0 * 1000 })
    return RankTest.shift(from: milliseconds, to: milliseconds).map {
      !StartupComparison.excludesDifference($0, of: milliseconds)
    }
  }
}

extension LaunchRecord {
  /// Nanoseconds of all stages together.
  package var duration: UInt64 { stages.reduce(0) { $0 + $1.duration } }
}
