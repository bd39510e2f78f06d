import FirstlightModel

/// The protocol conformance look-ups of the Swift runtime in one start.
///
/// A look-up is a call of one of the runtime's functions that answer whether a type conforms to a protocol. On
/// Linux, one that is not in the runtime's cache scans the conformance records of all binaries.
package struct ConformanceLookups: Sendable {
  /// A place in code of the program's own build.
  package struct Caller: Hashable, Sendable {
    package var function: String
    package var file: String
    package var line: Int

    package init(function: String, file: String, line: Int) {
      self.function = function
      self.file = file
      self.line = line
    }
  }

  package struct Lookup: Sendable {
    package var type: String
    package var proto: String
    package var thread: UInt32
    /// The look-up within which this one was made.
    package var parent: Int?
    /// Nanoseconds, inner look-ups and stops included; 0 if the return was not seen.
    package var duration: UInt64
    /// Number of stops from the entry to the return, with the latter.
    package var stops: Int
    /// Whether it scanned the records; nil: unknown.
    package var scanned: Bool?
    /// The answer; nil: the return was not seen.
    package var conforms: Bool?
    /// nil: no frame of the stack has a source line.
    package var caller: Caller?
    /// Nanoseconds without inner look-ups, and without the cost of stops.
    package fileprivate(set) var own: UInt64 = 0

    package init(
      type: String, proto: String, thread: UInt32, parent: Int?, duration: UInt64,
      stops: Int, scanned: Bool? = false, conforms: Bool?, caller: Caller? = nil
    ) {
      self.type = type
      self.proto = proto
      self.thread = thread
      self.parent = parent
      self.duration = duration
      self.stops = stops
      self.scanned = scanned
      self.conforms = conforms
      self.caller = caller
    }
  }

  /// All look-ups of one type and one protocol.
  package struct Pair: Sendable {
    package var type: String
    package var proto: String
    package var count = 0
    package var scans: Int?
    /// Nanoseconds, without look-ups within.
    package var own: UInt64 = 0
    package var conforms: Bool?
    /// The caller of the longest look-up.
    package var caller: Caller?
    fileprivate var longest: UInt64 = 0
  }

  private struct Question: Hashable { var type: String, proto: String }

  /// In the order of entry.
  package private(set) var lookups: [Lookup]
  package let mainThread: UInt32
  /// CPU time of all threads in untraced starts, nanoseconds; nil: unknown.
  package let cpuTime: UInt64?

  package init(_ lookups: [Lookup], mainThread: UInt32, cpuTime: UInt64?) {
    var lookups = lookups
    var stops = lookups.map(\.stops)
    for index in lookups.indices { lookups[index].own = lookups[index].duration }
    for lookup in lookups {
      guard let parent = lookup.parent else { continue }
      lookups[parent].own -= min(lookups[parent].own, lookup.duration)
      stops[parent] -= min(stops[parent], lookup.stops)
    }
    let cost = Self.stopCost(lookups)
    for index in lookups.indices {
      let own = Double(lookups[index].own) - cost * Double(stops[index])
      lookups[index].own = UInt64(max(0, own))
    }
    self.lookups = lookups
    self.mainThread = mainThread
    self.cpuTime = cpuTime
  }

  /// - Parameter callers: one for each look-up.
  package mutating func set(callers: [Caller?]) {
    for index in lookups.indices { lookups[index].caller = callers[index] }
  }

  private static let fewest = 5

  /// Nanoseconds of one stop. An answer from the cache takes a tenth of a microsecond, so the measured time of such
  /// look-ups is the cost of their stops.
  private static func stopCost(_ lookups: [Lookup]) -> Double {
    var asked: Set<Question> = []
    let costs = lookups.filter {
      // If it is unknown which look-ups scanned, repeated ones are taken for answers from the cache.
      let isFirst = asked.insert(Question(type: $0.type, proto: $0.proto)).inserted
      return !($0.scanned ?? isFirst) && $0.duration > 0 && $0.stops > 0
    }
    .map { Double($0.duration) / Double($0.stops) }.sorted()
    return costs.count < fewest ? 0 : costs[costs.count / 2]
  }

  /// Number of look-ups that scanned the records; nil: unknown.
  package var scans: Int? { lookups.contains { $0.scanned == nil } ? nil : count(\.scanned) }
  package var positive: Int { count(\.conforms) }
  package var negative: Int { lookups.count { $0.conforms == false } }
  /// Nanoseconds.
  package var duration: UInt64 { lookups.reduce(0) { $0 + $1.own } }
  package var mainThreadDuration: UInt64 {
    lookups.reduce(0) { $0 + ($1.thread == mainThread ? $1.own : 0) }
  }
  /// Share of the CPU time of all threads, 0 ... 1; nil: unknown. Look-ups that take longer than the CPU time waited
  /// for other programs on a busy machine, for an unknown time.
  package var share: Double? {
    guard let cpuTime, cpuTime > 0, duration <= cpuTime else { return nil }
    return Double(duration) / Double(cpuTime)
  }

  private func count(_ flag: (Lookup) -> Bool?) -> Int { lookups.count { flag($0) == true } }

  /// Slowest first.
  package var pairs: [Pair] {
    var pairs: [Question: Pair] = [:]
    for lookup in lookups {
      var pair =
        pairs[Question(type: lookup.type, proto: lookup.proto)]
        ?? Pair(type: lookup.type, proto: lookup.proto, scans: 0)
      pair.count += 1
      pair.own += lookup.own
      pair.scans = lookup.scanned.flatMap { scanned in pair.scans.map { $0 + (scanned ? 1 : 0) } }
      if pair.conforms == nil { pair.conforms = lookup.conforms }
      if pair.caller == nil || lookup.own > pair.longest {
        pair.caller = lookup.caller ?? pair.caller
      }
      pair.longest = max(pair.longest, lookup.own)
      pairs[Question(type: lookup.type, proto: lookup.proto)] = pair
    }
    return pairs.values.sorted { ($1.own, $0.type, $0.proto) < ($0.own, $1.type, $1.proto) }
  }
}
