import FirstlightModel

/// How much one process can say, wherever it comes from: what counts it is to need no more memory than
/// there is, and what one host sends, every receiver has to take.
package enum TraceLimits {
  package static let images = 4096
  /// Guards of one image: as many as a segment may have.
  package static let guards = 1 << 26
  /// First calls of all images, and guards that are new on the host.
  package static let firstCalls = 1 << 20
  /// Hours in which an image had first calls, of all images.
  package static let hours = 1 << 16
  /// Builds and days for which sums are kept.
  package static let series = 1 << 13
  /// Bytes of a name or an id.
  package static let text = 4096
}

/// What is left of the limits while a trace is read.
struct TraceBudget {
  private var firstCalls = TraceLimits.firstCalls
  private var newGuards = TraceLimits.firstCalls
  private var hours = TraceLimits.hours

  mutating func takeHours(_ count: Int) -> Bool { Self.take(count, &hours) }
  mutating func takeFirstCalls(_ count: Int) -> Bool { Self.take(count, &firstCalls) }
  mutating func takeNewGuards(_ count: Int) -> Bool { Self.take(count, &newGuards) }

  private static func take(_ count: Int, _ rest: inout Int) -> Bool {
    guard count <= rest else { return false }
    rest -= count
    return true
  }
}

extension ObservedProcess {
  /// What of it goes beyond `TraceLimits`, for people; nil if nothing does. A process without can be
  /// counted, and what comes of it be read.
  package var excess: String? {
    if images.count > TraceLimits.images {
      return "loaded \(images.count) images, at most \(TraceLimits.images) are counted"
    }
    if let image = images.first(where: { $0.guardCount > TraceLimits.guards }) {
      return "loaded \(image.name) of \(image.guardCount) guards, "
        + "at most \(TraceLimits.guards) are counted"
    }
    if max(callCount, calls?.count ?? 0) > TraceLimits.firstCalls {
      return "made \(callCount) first calls, at most \(TraceLimits.firstCalls) are counted"
    }
    guard let calls, spansHours else { return nil }
    var hours: Set<Place> = []
    for call in calls {
      let moment = Self.moment(call.time, from: startedAt)
      hours.insert(Place(image: call.build, time: Self.hour(of: moment)))
    }
    if hours.count > TraceLimits.hours {
      return "made first calls in \(hours.count) hours, at most \(TraceLimits.hours) are counted"
    }
    let days = Set(hours.map { Place(image: $0.image, time: ($0.time / 24).rounded(.down)) })
    if images.count + days.count > TraceLimits.series {
      return "made first calls on \(days.count) days, at most \(TraceLimits.series) are counted"
    }
    return nil
  }

  private struct Place: Hashable {
    var image: Int32
    var time: Double
  }
}

extension FleetTrace {
  /// How many sums it adds to: of each build one for each day on which it was called, and on which the
  /// process began.
  var seriesCount: Int {
    images.reduce(0) { sum, image in
      let days =
        image.seen.count < 2
        ? image.seen.count : Set(image.seen.lazy.map { FleetDay(of: $0.time) }).count
      return sum + 1 + days
    }
  }
}
