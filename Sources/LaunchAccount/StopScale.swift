import RunStatistics

/// What stops cost in this very program, in parts of what they cost the child that they were measured on.
///
/// A real program finds its caches colder after a stop, or warmer, than that child. Its starts without
/// stops tell by how much: the scale is such that the median of its watched starts is that of those.
/// To be checked against them nevertheless, each start is measured with the scale that the others give.
public struct StopScale: Sendable {
  /// For all starts.
  public let value: Double
  /// Whether the starts would have given one outside of `range`.
  public let isCut: Bool
  /// Nanoseconds of each watched start by the scale that all others give.
  public let checked: [UInt64]

  /// Beyond that, something else than stops makes the difference.
  public static let range = 0.5...2.0

  /// - Parameters:
  ///   - watched: in the order in which they were made.
  ///   - plain: nanoseconds of the starts that were not watched, likewise; as many.
  /// - Returns: nil for fewer than three pairs: without one of them no median would be left.
  public init?(watched: [LaunchEvents], plain: [UInt64]) {
    guard watched.count > 2, plain.count == watched.count else { return nil }
    let once = watched.map { Double($0.duration) }
    let twice = watched.map { Double($0.scaled(by: 2).duration) }
    let wall = plain.map { Double($0) }
    func scale(without place: Int?) -> Double {
      func median(_ values: [Double]) -> Double {
        Sample(values.indices.filter { $0 != place }.map { values[$0] }).median
      }
      let cost = median(once) - median(twice)
      return cost > 0 ? 1 + (median(once) - median(wall)) / cost : 1
    }
    func cut(_ scale: Double) -> Double {
      min(max(scale, Self.range.lowerBound), Self.range.upperBound)
    }
    let all = scale(without: nil)
    value = cut(all)
    isCut = value != all
    checked = watched.indices.map { watched[$0].scaled(by: cut(scale(without: $0))).duration }
  }
}

extension LaunchEvents {
  /// Nanoseconds from the request to the end of the start-up, of the program's own time.
  public var duration: UInt64 { since(end.time, thread: endThread) }

  /// The same start, had each stop cost so many times as much.
  public func scaled(by scale: Double) -> LaunchEvents {
    var events = self
    events.clock = clock.scaled(by: scale)
    return events
  }
}
