import FirstlightModel

/// The contents of a store, for retention.
///
/// The age of evidence counts from the last day on which its receiver got some of it. The day that
/// evidence is counted on comes from the producers, whose clocks may be wrong.
package struct StoreInventory: Hashable, Sendable {
  /// The evidence of one day of a build.
  package struct Day: Hashable, Sendable {
    /// The day of the calls.
    package var day: FleetDay
    /// The last day on which traces for it arrived.
    package var received: FleetDay
    /// An estimate; 0 if sizes were not measured.
    package var bytes: Int

    package init(day: FleetDay, received: FleetDay, bytes: Int = 0) {
      self.day = day
      self.received = received
      self.bytes = bytes
    }
  }

  /// A build with all its data.
  package struct Build: Hashable, Sendable {
    package var key: BuildKey
    /// The image's file name.
    package var program: String
    /// The last day on which a function table was registered; nil if there is none.
    package var registered: FleetDay?
    package var days: [Day]
    /// An estimate of its functions' size; 0 if sizes were not measured.
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

    /// The last day on which any data for the build arrived.
    package var lastReport: FleetDay {
      max(days.map(\.received).max() ?? FleetDay(number: 0), registered ?? FleetDay(number: 0))
    }

    /// Adds the build's counters.
    mutating func add(_ counters: Build) {
      days += counters.days
      registered = [registered, counters.registered].compactMap(\.self).max()
      functionBytes += counters.functionBytes
    }

    /// An estimate of all data that is removed with the build.
    package var bytes: Int { days.reduce(functionBytes) { $0 + $1.bytes } }
  }

  package var builds: [Build]
  /// The store's size on disk, without free space in its files.
  package var bytes: Int

  package init(builds: [Build], bytes: Int) {
    self.builds = builds
    self.bytes = bytes
  }
}

/// A deletion that retention decided on.
package struct Deletion: Hashable, Sendable {
  package enum Target: Hashable, Sendable {
    /// For every build, the days for which nothing arrived on this day or later: their sums,
    /// start-up times and sampled traces.
    case days(before: FleetDay)
    /// All data of a build, including its functions.
    case build(BuildKey, program: String, lastReport: FleetDay)
  }

  package var target: Target
  /// The responsible setting, such as `retain-days=90`.
  package var reason: String

  package init(_ target: Target, reason: String) {
    self.target = target
    self.reason = reason
  }
}

extension Deletion: CustomStringConvertible {
  /// The removed data, for display.
  package var description: String {
    switch target {
    case .days(let before): "days before \(before)"
    case .build(let key, let program, let lastReport):
      "\(program), build id \(key.buildID.short), last reported on \(lastReport)"
    }
  }
}

/// The size of a deletion.
package struct DeletedRows: Hashable, Sendable {
  /// Number of pairs of build and day.
  package var days = 0
  package var builds = 0
  /// Number of called functions in the removed rows.
  package var sums = 0
  package var sampledTraces = 0

  package init() {}

  package var isEmpty: Bool { self == DeletedRows() }
}
