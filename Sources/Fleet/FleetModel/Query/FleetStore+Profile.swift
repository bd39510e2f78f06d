import FirstlightModel
import SystemSupport

/// The limits of one answer.
package enum AnswerLimits {
  /// Maximum number of builds.
  package static let builds = 50
  /// Maximum number of guards that no binary proves: a trace can claim any number.
  package static let unprovenGuards = 1 << 20
  /// Maximum weight of the sampled traces, counted in first calls.
  static let traceWeight = 1 << 20
}

extension FleetStore {
  /// The profile of the selected builds: sums of all their runs, and a sample of traces.
  ///
  /// - Throws: `.noInput` if no build matches, `.data` if the selection is too large for one answer.
  package func profile(of query: FleetQuery) async throws -> Profile {
    let gaps = AnswerGaps()
    var profile = try await AnswerGaps.$current.withValue(gaps) {
      try await wholeProfile(of: query)
    }
    for line in gaps.lines {
      profile.unlisted.add(problem: line)
      AnswerGaps.current?.note(line)
    }
    return profile
  }

  private func wholeProfile(of query: FleetQuery) async throws -> Profile {
    let found = try await builds(query, page: Page(limit: AnswerLimits.builds + 1))
    if found.isEmpty { throw await nothing() }
    guard found.count <= AnswerLimits.builds else {
      throw Failure(
        .data, "more than \(AnswerLimits.builds) builds match",
        advice: "choose one by --build-id, or a program and version")
    }
    var parts: [(table: FunctionTable, coverage: BuildCoverage)] = []
    var counters: [SourceCounters] = []
    var traces: [FleetTrace] = []
    var problems = query.missingEvidence(of: found)
    var unproven = AnswerLimits.unprovenGuards
    var weight = AnswerLimits.traceWeight
    for build in found {
      let table = try await functionTable(of: build.key) ?? FunctionTable(unnamed: build)
      unproven -= table.unprovenGuards
      guard unproven >= 0 else {
        throw Failure(
          .data,
          "\(build.program) (build id \(build.key.buildID.short)) has "
            + "\(build.guardCount) guards in its traces, but no binary confirms them",
          advice: "send it with: firstlight upload-symbols BINARY, or choose another build")
      }
      guard let coverage = try await coverage(of: build.key, in: query) else { continue }
      parts.append((table, coverage))
      let (counted, gap) = try await self.counters(of: build.key, besides: coverage, in: query)
      counters.append(counted)
      if let gap { problems.append("\(build.program): \(gap)") }
      if let contest = build.contest { problems.append("\(build.program): \(contest)") }
      let crowded = try await crowdedDays(of: build.key)
        .filter { query.days?.contains($0) ?? true }
      if let text = SeriesRoom.sentence(crowded) { problems.append(text) }
      for trace in try await self.traces(of: build.key, upTo: max(0, weight)) {
        weight -= trace.answerWeight
        if query.contains(day: FleetDay(of: trace.startedAt), labels: trace.labels) {
          traces.append(trace)
        }
      }
    }
    if !parts.isEmpty, parts.allSatisfy({ $0.coverage.totals.runs == 0 }) {
      problems.append(
        "no run began in the selected days: functions that earlier runs called then are listed as called, "
          + "the others are unknown")
    }
    var profile = Profile(of: parts, traces: traces)
    for (build, counted) in counters.enumerated() { profile.builds[build].counters = counted }
    profile = profile.sorted()
    for text in problems { profile.unlisted.add(problem: text) }
    for build in profile.unnamed {
      profile.unlisted.add(
        problem: "\(build.wantsNames) (\(build.sendingCommand(to: "URL")))")
    }
    for build in profile.builds.map(\.build) where build.isWithoutHooks {
      profile.unlisted.add(
        problem:
          "\(build.name) (build id \(build.buildID.short)) has Firstlight's runtime, but no function with a "
          + "guard or entry hook: build it with the flags of firstlight flags")
    }
    return profile
  }

  /// The counters of a build; empty if none of its runs has any.
  /// - Parameter coverage: what its guards show of the same runs.
  /// - Returns: the counters, and what is missing, for people.
  package func counters(
    of build: BuildKey, besides coverage: BuildCoverage, in query: FleetQuery
  ) async throws -> (SourceCounters, gap: String?) {
    guard let key = build.counters, let sums = try await self.coverage(of: key, in: query) else {
      return (SourceCounters(), nil)
    }
    let runs = sums.totals.runs
    guard let table = try await functionTable(of: key) else {
      return (
        SourceCounters(),
        "the functions that its compiler counts have no names yet: send its binary"
      )
    }
    let missing = coverage.totals.runs - runs
    let gap =
      missing > 0
      ? "the counters of \(CountText.text(missing, "run")) are missing: damaged, without room on the disk, sent elsewhere "
        + "by LLVM_PROFILE_FILE, or not read yet (a process that forked still runs)" : nil
    guard runs > 0 else { return (SourceCounters(), gap) }
    let counters = SourceCounters(runs: runs, of: table.build) { record in
      guard record < sums.guards.count else { return GuardCoverage() }
      let sum = sums.guards[record]
      return GuardCoverage(runs: sum.runs, firstSeen: sum.firstSeen, lastSeen: sum.lastSeen)
    }
    return (counters, gap)
  }

  /// No build matches: the builds that there are.
  package func nothing() async -> Failure {
    let all = (try? await builds(FleetQuery(), page: Page(limit: 12))) ?? []
    if all.isEmpty {
      return Failure(
        .noInput, "\(name) has no builds yet",
        advice: "run a program with FIRSTLIGHT_DIR set to the spool of firstlightd")
    }
    let list = all.map { build in
      build.program + (build.versions.listed.last.map { " \($0)" } ?? "")
        + " (\(build.key.buildID.short))"
    }
    return Failure(
      .noInput, "no build matches",
      advice: "the builds are \(list.joined(separator: ", "))"
        + (all.count == 12 ? ", ..." : ""))
  }
}

extension FleetQuery {
  /// The evidence that retention removed from the selected days, a sentence for each build.
  package func missingEvidence(of builds: [FleetBuild]) -> [String] {
    builds.compactMap { build in
      guard let dropped = build.dropped,
        days.map({ $0.lowerBound < dropped.before }) ?? true
      else { return nil }
      return dropped.sentence
    }
  }
}

extension Profile {
  /// The builds whose functions have no names, because the fleet got no binary of them.
  package var unnamed: [Build] {
    builds.map(\.build).filter {
      $0.guarded.isEmpty && $0.guardCount > 0 && !$0.isWithoutHooks
    }
  }

  /// - Parameter address: of the fleet's firstlightd.
  /// - Throws: `.noInput` if no build's functions have names.
  package func requireNames(address: String) throws(Failure) {
    guard let build = unnamed.first, unnamed.count == builds.count else { return }
    throw Failure(
      .noInput, build.wantsNames, advice: "send the binary: \(build.sendingCommand(to: address))")
  }
}

extension Build {
  /// Whether its binary is known, and none of its functions calls the runtime that it was linked with.
  package var isWithoutHooks: Bool { guarded.isEmpty && hasSymbols }

  var wantsNames: String {
    "\(name) (build id \(buildID.short)): its functions have no names yet"
  }

  /// The command that names the functions.
  func sendingCommand(to address: String) -> String {
    "firstlight upload-symbols \(name) --to \(address)"
  }
}

extension FunctionTable {
  /// The number of guards without proof of existence: in a binary, at least every sixteenth guard
  /// has a function with name or address.
  package var unprovenGuards: Int { max(0, build.guardCount - 16 * build.guarded.count) }

  /// An empty table for a build whose function names are unknown.
  package init(unnamed build: FleetBuild) {
    self.init(
      build: Build(
        buildID: build.key.buildID, path: build.names.paths.first ?? "",
        kind: build.isExecutable ? .executable : .sharedLibrary, architecture: "",
        hasSymbols: false, hasDebugInfo: false, functions: [], entryGuards: [],
        guardCount: build.guardCount, recorder: build.key.recorder), bodies: [])
  }
}
