import FirstlightModel

/// A list of linker symbol names in the order in which the linker is to lay them out.
public struct SymbolOrder: Sendable {
  /// The build whose functions these are.
  public var buildID: BuildID
  /// Where the build's file was when it was recorded.
  public var path: String
  /// No name twice.
  public var names: [String]
  /// Functions that were called.
  public var calledFunctions: Int
  /// Called functions that have no linker name: no symbol starts where they do.
  public var namelessFunctions: Int
  /// Names left out because the target has no such symbol; 0 without a target.
  public var absentNames: Int
  public var runs: Int
  public var processes: Int
}

extension SymbolOrder {
  /// The order of first calls of one build.
  ///
  /// With one process it is the trace. With several, a function's place is the median of its ranks
  /// in the processes that called it; ties go to the one more processes called, then to the lower
  /// guard. A forked process continues its parent's trace: its ranks start where the parent's stood.
  ///
  /// For each function come, in this order, its own name, the shared body of merged functions, and
  /// its aliases.
  ///
  /// - Parameters:
  ///   - build: index into the profile's builds.
  ///   - exists: whether the binary that is to be linked has a symbol of that name.
  /// - Complexity: O(n log n) in the number of first calls.
  public init(
    firstCallsOf build: Int, in profile: Profile, exists: (String) -> Bool = { _ in true }
  ) {
    let recorded = profile.builds[build]
    var ranks: [Int32: [Int32]] = [:]
    var processes = 0
    // When each process made its first calls of this build: where a forked child's trace joins on.
    var times: [String: [Double]] = [:]
    for process in profile.processes {
      var seen: Set<Int32> = []
      var own: [Double] = []
      let inherited = process.forkedFrom.flatMap { times[process.run + $0] }.map { parent in
        parent.partitioningIndex { $0 > process.startedAt }
      }
      for call in process.calls where Int(call.build) == build {
        guard let function = recorded.build.function(ofGuard: call.guardIndex),
          seen.insert(Int32(function)).inserted
        else { continue }
        ranks[Int32(function), default: []].append(Int32((inherited ?? 0) + own.count))
        own.append(process.startedAt + Double(call.time) / 1e9)
      }
      if !own.isEmpty { processes += 1 }
      times[process.run + process.id] = own
    }
    let places = ranks.map { function, ranks in
      Place(function: function, median: Self.median(ranks), processes: ranks.count)
    }.sorted()

    var names: [String] = []
    var listed: Set<String> = []
    var nameless = 0
    var absent = 0
    for place in places {
      let function = recorded.build.functions[Int(place.function)]
      if function.name.isEmpty { nameless += 1 }
      let body = recorded.mergedBodies[recorded.build.entryGuards[Int(place.function)]]
      for name in [function.name] + (body.map { [$0] } ?? []) + function.aliases
      where !name.isEmpty && listed.insert(name).inserted {
        if exists(name) { names.append(name) } else { absent += 1 }
      }
    }
    self.init(
      buildID: recorded.build.buildID, path: recorded.build.path, names: names,
      calledFunctions: places.count, namelessFunctions: nameless, absentNames: absent,
      runs: recorded.runs, processes: processes)
  }

  private struct Place: Comparable {
    var function: Int32
    /// Twice the median, so that it stays whole.
    var median: Int32
    var processes: Int

    static func < (a: Place, b: Place) -> Bool {
      if a.median != b.median { return a.median < b.median }
      if a.processes != b.processes { return a.processes > b.processes }
      return a.function < b.function
    }
  }

  private static func median(_ ranks: [Int32]) -> Int32 {
    let sorted = ranks.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? 2 * sorted[middle] : sorted[middle - 1] + sorted[middle]
  }
}

extension [Double] {
  /// The first index whose element fulfils a condition that, once true, stays true.
  fileprivate func partitioningIndex(where condition: (Double) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if condition(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
