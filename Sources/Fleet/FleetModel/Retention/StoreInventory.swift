/// What retention looks at in a store.
///
/// Evidence is as old as the day on which its receiver last got some of it. The days that evidence is
/// counted on are the word of its producers, whose clocks may be wrong.
package struct StoreInventory: Hashable, Sendable {
  /// The evidence of one day of a build.
  package struct Day: Hashable, Sendable {
    /// The day that calls are counted on.
    package var day: FleetDay
    /// The last day on which traces added to it.
    package var received: FleetDay
    /// An estimate; 0 if sizes were not asked for.
    package var bytes: Int

    package init(day: FleetDay, received: FleetDay, bytes: Int = 0) {
      self.day = day
      self.received = received
      self.bytes = bytes
    }

    /// The assumed arrival of evidence without a noted one: its own day, if a clock that was set can have
    /// shown that one, else today.
    package static func assumedArrival(of day: FleetDay, today: FleetDay) -> FleetDay {
      (FleetDay.firstPlausible...max(FleetDay.firstPlausible, today)).contains(day) ? day : today
    }
  }

  /// A build with all that belongs to it.
  package struct Build: Hashable, Sendable {
    package var key: BuildKey
    /// The image's file name.
    package var program: String
    /// The last day on which it was given a function table; nil if it has none.
    package var registered: FleetDay?
    package var days: [Day]
    /// An estimate of its functions' size; 0 if sizes were not asked for.
    package var functionBytes: Int

    package init(
      key: BuildKey, program: String, registered: FleetDay? = nil, days: [Day] = [],
      functionBytes: Int = 0
    ) {
      self.key = key
      self.program = program
      self.registered = registered
      self.days = days
      self.functionBytes = functionBytes
    }

    /// The last day on which something came for it.
    package var lastReport: FleetDay {
      max(days.map(\.received).max() ?? FleetDay(number: 0), registered ?? FleetDay(number: 0))
    }

    /// An estimate of all that goes with it.
    package var bytes: Int { days.reduce(functionBytes) { $0 + $1.bytes } }
  }

  package var builds: [Build]
  /// What the store takes up on disk, without what is free in its files.
  package var bytes: Int

  package init(builds: [Build], bytes: Int) {
    self.builds = builds
    self.bytes = bytes
  }
}

/// Something that retention removes from a store.
package struct Deletion: Hashable, Sendable {
  package enum Target: Hashable, Sendable {
    /// Of every build the days for which nothing came on this day or later: their sums, start-up times
    /// and sampled traces.
    case days(before: FleetDay)
    /// All that belongs to a build, its functions included.
    case build(BuildKey, program: String, lastReport: FleetDay)
  }

  package var target: Target
  /// The setting that demands it, such as `retain-days=90`.
  package var reason: String

  package init(_ target: Target, reason: String) {
    self.target = target
    self.reason = reason
  }
}

extension Deletion: CustomStringConvertible {
  /// What goes, for people.
  package var description: String {
    switch target {
    case .days(let before): "days before \(before)"
    case .build(let key, let program, let lastReport):
      "\(program), build id \(key.buildID.short), last reported on \(lastReport)"
    }
  }
}

/// How much a deletion removed.
package struct DeletedRows: Hashable, Sendable {
  /// Build x day.
  package var days = 0
  package var builds = 0
  /// Called functions of the rows.
  package var sums = 0
  package var sampledTraces = 0

  package init() {}

  package var isEmpty: Bool { self == DeletedRows() }
}
