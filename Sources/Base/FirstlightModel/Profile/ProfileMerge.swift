/// Merges several profiles into one.
extension Profile {
  /// Adds another profile. Runs that both contain count once, so neither the order of merging nor a
  /// repeated merge changes the result.
  ///
  /// - Throws: `Failure` of kind `data` if the profiles share only some of their runs and both lack
  ///   the trace of a shared run, or have counters: its contribution is then unknown. Also if they have different
  ///   functions for one build, as when one recording had symbols and the other had none.
  package mutating func merge(_ other: Profile) throws(Failure) {
    try validateSameFunctions(other)
    let known = Set(texts: runs.map(\.id))
    let shared = Set(texts: other.runs.map(\.id)).intersection(known)
    if shared.count == other.runs.count {
      return adoptTraces(of: other)
    }
    if shared.count == known.count {
      var whole = other
      whole.adoptTraces(of: self)
      self = whole
      return
    }
    var added = other
    if !shared.isEmpty {
      adoptTraces(of: other)
      added.adoptTraces(of: self)
      added = try added.without(runs: shared)
    }
    add(added)
  }

  /// Adds another profile that is known to share no run with this one, so neither needs run names.
  ///
  /// - Throws: `Failure` of kind `data` if the profiles have different functions for one build.
  package mutating func mergeSums(of other: Profile) throws(Failure) {
    try validateSameFunctions(other)
    add(other)
  }

  private func validateSameFunctions(_ other: Profile) throws(Failure) {
    for recorded in other.builds {
      let mine = builds.first { $0.build.isWatched(like: recorded.build) }
      guard let mine, mine.coverage.count != recorded.coverage.count else { continue }
      throw Failure(
        .data,
        "\(recorded.build.path) (build id \(recorded.build.buildID.short)): one profile has "
          + "\(mine.coverage.count) functions of it, another \(recorded.coverage.count)",
        advice: "record all runs with symbols, or all without")
    }
  }

  /// Adds a profile that shares no run with this one.
  private mutating func add(_ added: Profile) {
    var indices: [Int32] = []
    for recorded in added.builds {
      if let index = index(of: recorded) {
        builds[index].add(recorded)
        indices.append(Int32(index))
      } else {
        indices.append(Int32(builds.count))
        builds.append(recorded)
      }
    }
    runs += added.runs
    unlisted = unlisted + added.unlisted
    for var process in added.processes {
      for at in process.calls.indices {
        process.calls[at].build = indices[Int(process.calls[at].build)]
      }
      processes.append(process)
    }
  }

  private func index(of recorded: RecordedBuild) -> Int? {
    builds.firstIndex {
      $0.build.isWatched(like: recorded.build) && $0.coverage.count == recorded.coverage.count
    }
  }

  /// Copies the traces that this profile lacks from the other profile's same processes.
  private mutating func adoptTraces(of other: Profile) {
    guard processes.contains(where: \.isTraceLeftOut) else { return }
    let indices = other.builds.map { index(of: $0) }
    var known: [ProcessKey: Int] = [:]
    for (index, process) in other.processes.enumerated() where !process.isTraceLeftOut {
      known[ProcessKey(process)] = index
    }
    for at in processes.indices where processes[at].isTraceLeftOut {
      guard let found = known[ProcessKey(processes[at])] else { continue }
      let calls = other.processes[found].calls
      guard calls.allSatisfy({ indices[Int($0.build)] != nil }) else { continue }
      processes[at].adoptTrace(of: other.processes[found])
      processes[at].calls = calls.map { call in
        var own = call
        own.build = Int32(indices[Int(call.build)] ?? 0)
        return own
      }
    }
  }

  private struct ProcessKey: Hashable {
    var run, id: String

    init(_ process: RecordedProcess) {
      run = process.run
      id = process.id
    }
  }

  /// This profile without some of its runs. The times of first and last calls stay, since the
  /// profile to merge into contains the removed runs too.
  private func without(runs left: Set<TextBytes>) throws(Failure) -> Profile {
    var rest = self
    rest.runs.removeAll { left.contains($0.id) }
    rest.processes.removeAll { left.contains($0.run) }
    var calledHere: [TextBytes: Set<UInt64>] = [:]
    for process in processes where left.contains(process.run) {
      // Counters are sums of all runs.
      guard !process.isTraceLeftOut, rest.builds.allSatisfy({ $0.countedRuns == 0 }) else {
        throw Failure(
          .data,
          "two profiles share run \(process.run) and both lack its trace, or have compilers' counters, "
            + "so its counts cannot be separated",
          advice: "merge their source profiles again, with a larger --max-traces")
      }
      for call in process.calls {
        calledHere[process.run, default: []]
          .insert(UInt64(call.build) << 32 | UInt64(call.guardIndex))
      }
    }
    for (run, called) in calledHere {
      for key in called {
        rest.builds[Int(key >> 32)].coverage[Int(key & 0xffff_ffff)].runs -= 1
      }
      let loaded = Set(called.map { Int($0 >> 32) })
      for index in loaded { rest.builds[index].runs -= 1 }
      guard
        loaded.allSatisfy({ rest.builds[$0].runs >= 0 }),
        called.allSatisfy({
          rest.builds[Int($0 >> 32)].coverage[Int($0 & 0xffff_ffff)].runs >= 0
        })
      else {
        throw Failure(
          .data, "damaged profile: run \(run) has calls that its builds do not count",
          advice: "record it again")
      }
    }
    return rest
  }
}

extension RecordedBuild {
  /// Adds the coverage of other runs of the same build.
  fileprivate mutating func add(_ other: RecordedBuild) {
    runs = runs.addingClamped(other.runs)
    for (guardIndex, seen) in other.coverage.enumerated() where seen.isCalled {
      coverage[guardIndex].add(seen)
    }
    mergedBodies.merge(other.mergedBodies) { min($0, $1) }
    withoutStart.formIntersection(other.withoutStart)
    unwatched.formIntersection(other.unwatched)
    sources.merge(other.sources) { $0 == $1 ? $0 : 0 }
    var counters = counters
    counters.add(other.counters)
    // If a build was read with and without symbols, or at two paths, the same one is kept in either
    // order.
    if other.build.isBetter(than: build) { build = other.build }
    self.counters = counters
  }
}

extension Build {
  /// Whether the traces of two builds refer to the same functions.
  fileprivate func isWatched(like other: Build) -> Bool {
    buildID == other.buildID && recorder == other.recorder
  }

  /// Whether this reading of a build has more information than another one.
  package func isBetter(than other: Build) -> Bool {
    let (own, others) = (guarded.count, other.guarded.count)
    if own != others { return own > others }
    if hasSymbols != other.hasSymbols { return hasSymbols }
    if hasDebugInfo != other.hasDebugInfo { return hasDebugInfo }
    return path < other.path
  }
}

extension Profile {
  /// The same profile with builds, runs and processes in a canonical order, independent of the
  /// order of merging.
  package func sorted() -> Profile {
    var result = self
    let order = builds.indices.sorted {
      let (a, b) = (builds[$0].build, builds[$1].build)
      return (
        a.kind == .executable ? 0 : 1, a.buildID.description, a.recorder.rawValue, a.guardCount
      )
        < (b.kind == .executable ? 0 : 1, b.buildID.description, b.recorder.rawValue, b.guardCount)
    }
    var indices = [Int32](repeating: 0, count: builds.count)
    for (new, old) in order.enumerated() { indices[old] = Int32(new) }
    result.builds = order.map { builds[$0] }
    result.runs.sort { ($0.startedAt, $0.id) < ($1.startedAt, $1.id) }
    result.processes.sort {
      ($0.startedAt, $0.run, $0.id) < ($1.startedAt, $1.run, $1.id)
    }
    for process in result.processes.indices {
      for call in result.processes[process].calls.indices {
        let build = Int(result.processes[process].calls[call].build)
        result.processes[process].calls[call].build = indices[build]
      }
    }
    return result
  }
}
