import FirstlightModel

/// The calls until ready: first calls with their parents, and the time of each.
package struct CallTree: Sendable {
  package struct Call: Sendable {
    package var name: String
    /// The file of the declaration; nil without debug information.
    package var file: String?
    package var line: Int
    /// The image's file name.
    package var image: String
    package var thread: UInt32
    /// Nanoseconds since the request.
    package var time: UInt64
    package var outcome: CallOutcome
    /// Nanoseconds that belong to no first call inside this one; nil if unknown.
    package fileprivate(set) var own: UInt64?
    /// The part of `own` in which the call ran on a CPU, nanoseconds; nil if unknown.
    package fileprivate(set) var ownCPU: UInt64?
    /// The usual error of `own`, nanoseconds.
    package fileprivate(set) var error: UInt64 = 0

    package init(
      name: String, file: String?, line: Int, image: String, thread: UInt32, time: UInt64,
      outcome: CallOutcome
    ) {
      self.name = name
      self.file = file
      self.line = line
      self.image = image
      self.thread = thread
      self.time = time
      self.outcome = outcome
    }
  }

  /// In the order of entry: a parent comes before its children.
  package let calls: [Call]
  /// Number of functions whose calls were watched.
  package let functionCount: Int
  /// The accuracy of times.
  package let accuracy: TracingAccuracy

  package init(_ calls: [Call], functionCount: Int, accuracy: TracingAccuracy) {
    var own = calls.map(\.outcome.duration)
    var cpu = calls.map(\.outcome.cpuTime)
    var stops = calls.map { UInt64($0.outcome.stops) }
    for call in calls where call.outcome.parent >= 0 {
      let parent = Int(call.outcome.parent)
      // An unknown part of a tail call's time belongs to its parent, too. A call without a seen end has no time
      // at all.
      let isKnown = call.outcome.ending != .tailCall
      own[parent] = Self.rest(own[parent], isKnown ? call.outcome.duration : nil)
      cpu[parent] = Self.rest(cpu[parent], isKnown ? call.outcome.cpuTime : nil)
      stops[parent] -= min(stops[parent], UInt64(call.outcome.stops))
    }
    var calls = calls
    for index in calls.indices {
      calls[index].own = own[index]
      calls[index].ownCPU = own[index] == nil ? nil : cpu[index]
      calls[index].error = max(1, stops[index]) * accuracy.stopError
    }
    self.calls = calls
    self.functionCount = functionCount
    self.accuracy = accuracy
  }

  private static func rest(_ whole: UInt64?, _ part: UInt64?) -> UInt64? {
    guard let whole, let part else { return nil }
    return whole - min(whole, part)
  }

  /// Indices of the calls with the longest own time, longest first.
  package func worst(_ count: Int) -> [Int] {
    calls.indices.filter { calls[$0].own != nil }
      .sorted { (calls[$0].own!, $1) > (calls[$1].own!, $0) }.prefix(count).map { $0 }
  }

  /// The chosen calls and their ancestors, in order of entry, with depth. Omits ancestors with a single line
  /// below them.
  package func branches(of chosen: [Int]) -> [(index: Int, depth: Int)] {
    var shown: Set<Int> = []
    for index in chosen {
      var at = index
      while at >= 0, shown.insert(at).inserted { at = Int(calls[at].outcome.parent) }
    }
    var children: [Int: [Int]] = [:]
    for index in shown { children[Int(calls[index].outcome.parent), default: []].append(index) }
    let wanted = Set(chosen)
    var lines: [(index: Int, depth: Int)] = []
    var pending = (children[-1] ?? []).sorted(by: >).map { (index: $0, depth: 0) }
    while let (index, depth) = pending.popLast() {
      let inner = (children[index] ?? []).sorted(by: >)
      let isShown = wanted.contains(index) || inner.count > 1
      if isShown { lines.append((index, depth)) }
      for child in inner { pending.append((child, isShown ? depth + 1 : depth)) }
    }
    return lines
  }
}
