import FirstlightModel

/// The limits of a store's retention. Nil means no limit.
package struct RetentionRules: Hashable, Sendable {
  /// Days since the last evidence arrived.
  package var days: Int?
  /// Number of builds of each program; builds that still report may exceed it.
  package var builds: Int?
  /// The store's size in bytes.
  package var bytes: Int?

  package init(days: Int? = 730, builds: Int? = 500, bytes: Int? = 64 << 30) {
    self.days = days
    self.builds = builds
    self.bytes = bytes
  }

  /// A build that reported within this many days still reports: only `days` removes its evidence.
  /// Hosts keep undelivered evidence for as long.
  package static let reportingDays = 7

  /// The evidence to remove, in this order: evidence beyond `days`, builds beyond `builds`, and the
  /// oldest evidence while the store exceeds `bytes`.
  ///
  /// A build is removed with the last of its evidence.
  /// - Parameter today: the fleet's current day (`AgreedDay.of`).
  /// - Complexity: O(n log n) for n builds and their days.
  package func deletions(from inventory: StoreInventory, today: FleetDay) -> [Deletion] {
    var plan = Plan(inventory)
    if let days {
      plan.drop(
        before: FleetDay(number: today.number - Int32(clamping: days)),
        reason: "retain-days=\(days)")
    }
    let reporting = FleetDay(number: today.number - Int32(Self.reportingDays))
    if let builds { plan.drop(beyond: builds, reportingSince: reporting) }
    if let bytes { plan.drop(above: bytes, reportingSince: reporting) }
    return plan.deletions
  }

  /// The remaining store while deletions are planned.
  private struct Plan {
    private(set) var deletions: [Deletion] = []
    /// Builds whose counters go with them.
    private var counted: Set<BuildKey> = []
    private var builds: [StoreInventory.Build]
    private var bytes: Int

    init(_ inventory: StoreInventory) {
      // The oldest are removed first; names make the order deterministic.
      var all = Dictionary(
        inventory.builds.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
      for key in Array(all.keys) {
        guard let counters = key.counters, let own = all.removeValue(forKey: counters) else {
          continue
        }
        counted.insert(key)
        all[key]?.add(own)
      }
      builds = all.values.sorted {
        ($0.lastReport, $0.program, $0.key) < ($1.lastReport, $1.program, $1.key)
      }
      bytes = inventory.bytes
    }

    mutating func drop(before cutoff: FleetDay, reason: String) {
      let isOld: (StoreInventory.Day) -> Bool = { $0.received < cutoff }
      if builds.contains(where: { $0.days.contains(where: isOld) }) {
        deletions.append(Deletion(.days(before: cutoff), reason: reason))
      }
      removeBuilds(reason: reason) { $0.lastReport < cutoff }
      for place in builds.indices {
        bytes -= builds[place].days.filter(isOld).reduce(0) { $0 + $1.bytes }
        builds[place].days.removeAll(where: isOld)
      }
    }

    mutating func drop(beyond most: Int, reportingSince reporting: FleetDay) {
      // A sender of runs can make builds up, but not their functions: such builds push no other out.
      struct Kind: Hashable {
        @TextBytes var program: String
        var hasFunctions: Bool

        init(_ build: StoreInventory.Build) {
          (program, hasFunctions) = (build.program, build.registered != nil)
        }
      }
      var extra = Dictionary(grouping: builds, by: Kind.init).mapValues { $0.count - most }
      removeBuilds(reason: "retain-builds=\(most)") { build in
        guard extra[Kind(build), default: 0] > 0, build.lastReport < reporting else {
          return false
        }
        extra[Kind(build), default: 0] -= 1
        return true
      }
    }

    mutating func drop(above most: Int, reportingSince reporting: FleetDay) {
      guard bytes > most else { return }
      // Bytes freed by each further day.
      var freed: [FleetDay: Int] = [:]
      for build in builds {
        freed[build.lastReport, default: 0] += build.functionBytes
        for day in build.days { freed[day.received, default: 0] += day.bytes }
      }
      var left = bytes
      var last: FleetDay?
      for (day, size) in freed.sorted(by: { $0.key < $1.key }) {
        guard day < reporting, left > most else { break }
        left -= size
        last = day
      }
      guard let last else { return }
      drop(before: FleetDay(number: last.number + 1), reason: "retain-bytes=\(most)")
    }

    /// Removes the builds for which `isGone` is true, checking the oldest first.
    private mutating func removeBuilds(
      reason: String, where isGone: (StoreInventory.Build) -> Bool
    ) {
      builds.removeAll { build in
        guard isGone(build) else { return false }
        for key in [build.key, counted.contains(build.key) ? build.key.counters : nil] {
          guard let key else { continue }
          deletions.append(
            Deletion(
              .build(key, program: build.program, lastReport: build.lastReport), reason: reason))
        }
        bytes -= build.bytes
        return true
      }
    }
  }
}
