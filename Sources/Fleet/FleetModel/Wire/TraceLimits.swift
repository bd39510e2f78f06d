import FirstlightModel

/// Limits on what a message or a recording may claim, checked where it is decoded: counting must not exhaust memory,
/// and every receiver must accept what a host sends.
package enum TraceLimits {
  package static let images = 4096
  /// Guards of one image, the same as in a segment.
  package static let guards = 1 << 26
  /// First calls of all images.
  package static let firstCalls = 1 << 20
  /// Ranges of `UnseenFunctions` in a row.
  static let unseenRanges = 1 << 17
  /// Hours with first calls, summed over all images.
  package static let hours = 1 << 16
  /// Pairs of build and day with sums.
  package static let series = 1 << 13
  /// Bytes of a name or id.
  package static let text = 4096
  /// A count of a row: the runs of a million hosts in a year, a hundred a second each.
  static let count = 1 << 42
  /// A sum of a store. Two of them add up without overflow.
  package static let sum = 1 << 62
  /// Recorded seconds of a row.
  static let seconds = 1e15
  /// Different numbers of guards that are kept of one build. There is always room for that of its binary.
  package static let claims = 16
  /// Versions of a build in a list: those of most runs.
  package static let versions = 16
  /// Days since 1970.
  static let day = 9_999_999
}

extension ObservedProcess {
  /// The data that exceeds `TraceLimits`, for the user; nil if there is none. A process within the
  /// limits can be counted, and its encoded data can be read.
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
