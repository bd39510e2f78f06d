import FirstlightModel

/// The changes from one timeline to another, the largest slowdown first.
///
/// Functions are matched by name and module; times are summed over processes.
package struct TimelineDifference: Sendable {
  package struct Row: Hashable, Sendable {
    package var name: String
    package var shortName: String
    package var module: String
    /// Nil if the function is missing.
    package var before: Times?
    package var after: Times?
    package var isInitializer: Bool

    /// Change of the function's own time, nanoseconds.
    package var selfChange: Int64 {
      Int64(clamping: after?.selfTime ?? 0) - Int64(clamping: before?.selfTime ?? 0)
    }

    package var totalChange: Int64 {
      Int64(clamping: after?.total ?? 0) - Int64(clamping: before?.total ?? 0)
    }
  }

  /// Times in nanoseconds.
  package struct Times: Hashable, Sendable {
    package var selfTime: UInt64 = 0
    package var total: UInt64 = 0
  }

  /// A time or duration that both timelines may have: ready, a stage, a mark, a span.
  package struct Moment: Hashable, Sendable {
    package var name: String
    package var before: UInt64?
    package var after: UInt64?

    package var change: Int64? {
      guard let before, let after else { return nil }
      return Int64(clamping: after) - Int64(clamping: before)
    }
  }

  package var before: Timeline
  package var after: Timeline
  package var moments: [Moment]
  /// Worst first: by increase of own time, then of total time.
  package var rows: [Row]
  /// Number of functions with a first call in only one of the two.
  package var newFunctions: Int
  package var goneFunctions: Int

  /// Whether both have durations; otherwise only new and gone functions are known.
  var hasTimes: Bool { before.hasReturns && after.hasReturns }

  /// - Throws: `Failure` of kind `data` if the timelines belong to different programs.
  package init(before: Timeline, after: Timeline) throws(Failure) {
    let old = before.functionTimes()
    let new = after.functionTimes()
    let shared = old.keys.count { new[$0] != nil }
    let (oldName, newName) = (before.processes.first?.name, after.processes.first?.name)
    if oldName != newName, shared * 2 < min(old.count, new.count) {
      throw Failure(
        .data,
        "the profiles are of different programs: \(oldName ?? "?") and \(newName ?? "?") have \(shared) of "
          + "\(min(old.count, new.count)) functions in common",
        advice: "compare two runs of the same program")
    }
    self.before = before
    self.after = after
    moments = Self.moments(before, after)
    rows = Set(old.keys).union(new.keys).map { key in
      Row(
        name: key.name, shortName: key.shortName, module: key.module, before: old[key],
        after: new[key],
        isInitializer: key.isInitializer)
    }.sorted { a, b in
      (b.selfChange, b.totalChange, a.name, a.module)
        < (a.selfChange, a.totalChange, b.name, b.module)
    }
    newFunctions = new.count - shared
    goneFunctions = old.count - shared
  }

  private static func moments(_ before: Timeline, _ after: Timeline) -> [Moment] {
    let (old, new) = (before.namedTimes(), after.namedTimes())
    let known = Dictionary(
      texts: new.map { ($0.name, $0.time) }, uniquingKeysWith: { first, _ in first })
    var names = Set<TextBytes>()
    var result: [Moment] = []
    for entry in old where names.insert(entry.name).inserted {
      result.append(Moment(name: entry.name, before: entry.time, after: known[entry.name]))
    }
    for entry in new where names.insert(entry.name).inserted {
      result.append(Moment(name: entry.name, before: nil, after: entry.time))
    }
    return result
  }
}

extension Timeline {
  fileprivate struct FunctionName: Hashable {
    var name, shortName, module: String
    var isInitializer: Bool
  }

  fileprivate func functionTimes() -> [FunctionName: TimelineDifference.Times] {
    var times: [FunctionName: TimelineDifference.Times] = [:]
    for span in spans {
      let function = functions[span.function]
      let key = FunctionName(
        name: function.name, shortName: function.shortName, module: function.module,
        isInitializer: span.isInitializer)
      times[key, default: .init()].selfTime += span.selfTime
      times[key, default: .init()].total += span.length
    }
    return times
  }

  /// Ready, stages, marks and spans of the first process, in this order.
  fileprivate func namedTimes() -> [(name: String, time: UInt64)] {
    guard let process = processes.first else { return [] }
    var times: [(name: String, time: UInt64)] = []
    if let ready = process.ready { times.append(("ready after", ready - process.start)) }
    for kind in LaunchStage.Kind.allCases {
      let stages = process.stages.filter { $0.kind == kind }
      if !stages.isEmpty {
        times.append(("stage \(kind.rawValue)", stages.reduce(0) { $0 + $1.duration }))
      }
    }
    for mark in marks where threads[mark.thread].process == 0 {
      switch mark.kind {
      case .mark: times.append(("mark \(mark.name)", mark.start - process.start))
      case .span(let duration?): times.append(("span \(mark.name)", duration))
      case .span(nil): break
      }
    }
    return times
  }
}
