import FirstlightModel

/// How much memory it takes to have some traces and what they add up to, bytes: more than it is, not less.
///
/// A batch of a few kilobytes can add up to gigabytes, so a receiver counts it in parts, each below a
/// weight; of traces that add to the same sums thousands are one part.
package struct BatchWeight {
  package private(set) var bytes = 0
  /// What the sums of each series take so far.
  private var sums: [SeriesKey: Int] = [:]

  package static func of(_ traces: some Sequence<FleetTrace>) -> Int {
    var weight = BatchWeight()
    for trace in traces { weight.add(trace) }
    return weight.bytes
  }

  /// - Returns: the weight of this trace beside the others.
  @discardableResult
  mutating func add(_ trace: FleetTrace) -> Int {
    let before = bytes
    bytes += Self.trace + (trace.calls?.count ?? 0) * Self.call
    let day = FleetDay(of: trace.startedAt)
    for image in trace.images {
      bytes += Self.image + image.name.utf8.count + image.newOnHost.count * Self.newGuard
      note(0, of: image, on: day, trace.labels)
      for seen in image.seen {
        bytes += Self.hour + seen.guards.set.places.count * Self.word
        note(seen.guards.count, of: image, on: FleetDay(of: seen.time), trace.labels)
      }
    }
    return bytes - before
  }

  private mutating func note(
    _ guards: Int, of image: FleetImage, on day: FleetDay, _ labels: FleetLabels
  ) {
    let key = SeriesKey(build: image.build, day: day, labels: labels)
    let known = sums[key]
    if known == nil { bytes += Self.series }
    // Guards that others have called too have one sum with them.
    let room = image.guardCount * Self.sum - (known ?? 0)
    let more = min(max(0, room), guards * Self.sum)
    bytes += more
    sums[key] = (known ?? 0) + more
  }

  // Bytes of each; measured, and rounded up.
  private static let trace = 1024
  private static let image = 512
  private static let hour = 128
  private static let word = 24
  private static let newGuard = 64
  private static let call = 64
  private static let series = 1024
  private static let sum = 64
}
