import FirstlightModel
import Reports
import SystemSupport

/// Sentences that the formats of never-called lists share.
enum DeadSentences {
  /// The message on one function.
  ///
  /// - Parameters:
  ///   - isShort: whether the message has the function's short name.
  ///   - references: the references to the functions, if an index was read.
  static func text(
    _ row: FunctionReport, isShort: Bool = false, references: ReferenceText? = nil
  ) -> String {
    let name = isShort ? row.shortName : row.name
    return switch row.verdict {
    case .neverCalled:
      "\(name) was never called in \(CountText.text(row.watchedRuns, "recorded run"))"
        + builds(row) + (row.isCalledByTestsAlone ? "; only tests call it" : "")
        + (references?.text(row.identity).map { "; \($0)" } ?? "")
    case .belowThreshold:
      "\(name) was called in \(CountText.number(row.calledRuns)) of "
        + CountText.text(row.watchedRuns, "recorded run")
    default: "\(name): \(row.verdict.rawValue)"
    }
  }

  /// ` of 3 builds`; empty if only one was recorded.
  static func builds(_ row: FunctionReport) -> String {
    let builds = Set(row.pieces.compactMap(\.build)).count
    return builds > 1 ? " of " + CountText.builds(builds, binaries: row.images.count) : ""
  }

  /// The number of functions that gates count, then of those without a verdict: not called while watched, or unknown.
  static func title(_ list: DeadCodeList) -> String {
    let (inWindows, unknown) = (list.inWindows.count, list.unknownCount)
    if list.gatedCount == 0, inWindows == 0, unknown > 0 {
      // Of a stripped or optimised program, no function may be known: a zero would claim that all ran.
      return
        "No function is known to be never called; \(CountText.text(unknown, "function")) unknown"
    }
    return "\(CountText.text(list.gatedCount, "function")) "
      + (list.below == nil ? "never called, " : "never or rarely called, ")
      + CountText.bytes(list.gated.reduce(0) { $0 + $1.bytes })
      + (inWindows > 0 ? "; \(CountText.number(inWindows)) not called while watched" : "")
      + (unknown > 0 ? "; \(CountText.number(unknown)) unknown" : "")
  }

  /// The heading of the functions that windows alone recorded, with the time behind it.
  static func inWindows(_ list: DeadCodeList) -> String {
    let observation = list.report.observation
    let rows = list.inWindows
    // A library may have been loaded, or a process have begun, while the watch began.
    let time =
      observation.windows == 0
      ? ""
      : " (\(VerdictReasonText.windowsText(observation.windows, seconds: observation.windowSeconds)))"
    return "Not called while watched\(time): \(CountText.text(rows.count, "function")), "
      + CountText.bytes(rows.reduce(0) { $0 + $1.bytes })
  }

  /// A note on never-called functions that a baseline keeps out of the list; nil: there are none.
  static func known(_ list: DeadCodeList) -> String? {
    guard list.knownCount > 0 else { return nil }
    return "\(CountText.text(list.knownCount, "function")) of the baseline not listed."
  }

  /// The savings from deleting functions; nil if no function can be deleted.
  static func deletable(_ list: DeadCodeList, _ references: ReferenceText) -> String? {
    let rows = list.gated.filter { references.group($0) == .deletable }
    guard !rows.isEmpty else { return nil }
    let isPlain = list.report.observation.recorders == [.breakpoints]
    return "\(ReferenceSums(rows, references).text) can be deleted."
      + (isPlain ? "" : " Sizes include this build's instrumentation.")
  }

  /// The extent of the recordings, one sentence a line.
  static func observation(_ observation: Observation) -> [String] {
    let runs = observation.runs - observation.windows
    var watched =
      "Recorded \(CountText.runs(runs, windows: observation.windows)) "
      + "(\(CountText.text(observation.processes, "process", "processes")))"
    if !observation.hosts.isEmpty {
      watched += " on \(CountText.text(observation.hosts.count, "host"))"
    }
    watched +=
      " of \(observation.buildsText), "
      + "\(TimeText.text(observation.timeObserved)) in total"
    if observation.endedAt > observation.startedAt, observation.startedAt > 0 {
      watched +=
        ", from \(TimeText.moment(observation.startedAt)) to \(TimeText.moment(observation.endedAt))"
    }
    var lines = [watched + ". Losses: \(LossText.text(observation.losses))."]
    if let windows = windows(observation) { lines.append(windows) }
    if !observation.losses.isEmpty {
      lines.append("Lost calls look like never-called functions: do not delete by this list.")
    }
    if observation.losses.runningProcesses > 0 {
      lines.append(
        "This list is of an unfinished run: what processes called after the recording ended is not "
          + "in it. Record with --until to follow them.")
    }
    if let endings = endings(observation) { lines.append(endings) }
    for problem in observation.problems.prefix(5) {
      lines.append(
        "Problem: \(problem.text)"
          + (problem.count > 1 ? " (in \(CountText.text(problem.count, "run")))" : "") + ".")
    }
    if observation.problems.count > 5 {
      lines.append(
        "\(CountText.text(observation.problems.count - 5, "more problem")): see firstlight info.")
    }
    for name in observation.imagesWithoutDebugInfo {
      lines.append(
        "\(name) has no debug information: compiler-generated and inlined functions are not "
          + "recognised; build it with -g.")
    }
    return lines
  }

  /// Notes on the list, one sentence a line.
  static func notes(_ list: DeadCodeList) -> [String] {
    [
      list.emptyReason, bound(list), withoutStart(list), nameless(list),
      withoutDebugInformation(list), unknown(list),
      unknownScope(list),
    ].compactMap(\.self)
  }

  /// A run, or a window of watching.
  static func noun(_ observation: Observation) -> String {
    observation.windows > 0 && observation.windows == observation.runs ? "window" : "run"
  }

  /// A note on the calls that windows do not show; nil: there are no windows.
  private static func windows(_ observation: Observation) -> String? {
    observation.windows > 0
      ? "A window watches a running program: what it called before or after is not known." : nil
  }

  /// How windows become a never-called list; nil if no function lacks a start.
  private static func withoutStart(_ list: DeadCodeList) -> String? {
    list.inWindows.isEmpty
      ? nil
      : "No start was recorded of functions not called while watched: it may have called them. Restart the "
        + "program with its arguments while it is watched, or merge a recording of one start."
  }

  /// The bad endings of runs; nil if all ended well.
  fileprivate static func endings(_ observation: Observation) -> String? {
    let endings = observation.badEndings
    guard let first = endings.first else { return nil }
    let all = endings.reduce(0) { $0 + $1.count }
    var parts = endings.prefix(5).map { "\(CountText.number($0.count)) \($0.ending.text)" }
    if endings.count > parts.count { parts.append("others otherwise") }
    let what =
      endings.count == 1
      ? "\(CountText.text(all, "run")) \(verb(first.ending, all))\(first.ending.text)"
      : "\(CountText.text(all, "run")) did not end well (\(parts.joined(separator: ", ")))"
    return "\(what): what \(all == 1 ? "it" : "they") did not reach looks never called."
  }

  private static func verb(_ ending: RunEnding, _ count: Int) -> String {
    if case .exited = ending { return "" }
    return count == 1 ? "was " : "were "
  }

  /// The statistical meaning of "never" for this number of runs.
  private static func bound(_ list: DeadCodeList) -> String? {
    var fewest = Int.max
    var bound = 0.0
    var isWatched = false
    for row in list.rows where row.verdict == .neverCalled {
      isWatched = isWatched || row.watchedRuns > 0
      fewest = min(fewest, row.watchedRuns)
      bound = max(bound, row.bound)
    }
    guard isWatched else { return nil }
    let observation = list.report.observation
    let all = observation.runs
    let noun = noun(observation)
    let some =
      fewest < all
      ? "Some functions listed here were in only \(CountText.number(fewest)) of "
        + "\(CountText.text(all, "recorded \(noun)")). " : ""
    if fewest == 1, list.isOfTests { return some.isEmpty ? nil : some }
    if fewest == 1 { return some + "One \(noun) says little about others; record more." }
    return some
      + "A function listed here may still run in up to \(percent(bound)) of such \(noun)s, at 95% "
      + "confidence."
  }

  /// A note on functions left out because they have no name; nil: there are none.
  private static func nameless(_ list: DeadCodeList) -> String? {
    guard list.namelessCount > 0 else { return nil }
    return "\(CountText.text(list.namelessCount, "function")) without a name not listed (stripped "
      + "binary): keep its symbols or debug file and record again, or list addresses with --all."
  }

  /// A note on functions left out because no debug information shows copies; nil: there are none.
  private static func withoutDebugInformation(_ list: DeadCodeList) -> String? {
    guard !list.showsAll else { return nil }
    let count = list.undecided.count
    guard count > 0 else { return nil }
    return "\(CountText.text(count, "never-called function")) built without -g not listed: inlined "
      + "copies may have run. Build with -g and record again, or list all with --all."
  }

  /// A note on functions that may have run unseen, with the command that would show it; nil: there are none.
  private static func unknown(_ list: DeadCodeList) -> String? {
    // Functions without debug information have a note of their own.
    let count = list.unknownCount - (list.showsAll ? 0 : list.undecided.count)
    guard count > 0 else { return nil }
    let text = "\(CountText.text(count, "function")) may have run unseen"
    if list.report.functions.contains(where: { $0.pieces.contains(where: \.isCounted) }) {
      let names = list.unknown.map(\.shortName)
      let more = names.count - 3
      return "\(text), in spite of counters"
        + (names.first.map {
          ": " + names.prefix(3).joined(separator: ", ")
            + (more > 0 ? " and \(CountText.number(more)) more" : "")
            + ". firstlight why \(Escaping.shellWord($0)) says why."
        } ?? ".")
    }
    let isSwift = list.report.functions.contains {
      $0.reason.mayHaveRunUnseen && $0.isSwift && list.isInScope($0)
    }
    if list.unknown.allSatisfy({ $0.reason == .replacedDestructor }) {
      return "\(text): destructors in whose place clang calls that of a base class. "
        + "A build without optimisation shows it."
    }
    return "\(text): inlined, or not instrumented. "
      + (list.isOfFleet
        ? isSwift
          ? "A fleet counts first calls alone; a build with firstlight flags swiftpm --no-inlining shows them."
          : "A fleet counts first calls alone; a build with firstlight flags gcc shows them."
        : "A counted build shows it: " + counting(isSwift: isSwift, list))
  }

  /// The command that records a counted build. clang counts, gcc does not.
  private static func counting(isSwift: Bool, _ list: DeadCodeList) -> String {
    if list.isOfTests, !isSwift {
      return "firstlight test -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ with CMake, "
        + "or with make CC=clang CXX=clang++ before the same command."
    }
    return (list.isOfTests ? "" : "firstlight test, or ")
      + "firstlight flags \(isSwift ? "swiftpm" : "clang") --counters."
  }

  /// A note on never-called functions of other code; nil: there are none.
  static func foreign(_ list: DeadCodeList) -> String? {
    let parts = [(CodeOrigin.dependency, "dependencies"), (.tests, "tests")].compactMap {
      origin, name in
      list.foreignCounts[origin].map { (count: $0, name: name) }
    }
    guard !parts.isEmpty else { return nil }
    return parts.enumerated().map { index, part in
      "\(CountText.number(part.count)) \(index == 0 ? "more " : "")in \(part.name)"
    }.joined(separator: ", ") + ": --dependencies lists them"
  }

  /// Notes on functions without a row.
  static func leftOut(_ list: DeadCodeList) -> [String] {
    let more = list.rows.count - list.shown.count
    return [more > 0 ? "and \(CountText.number(more)) more: raise --limit" : nil, foreign(list)]
      .compactMap(\.self)
  }

  /// A note that the project's own code is unknown; nil if it is known.
  private static func unknownScope(_ list: DeadCodeList) -> String? {
    guard case .unknown(let folder) = list.scope else { return nil }
    // If functions are known by symbols alone, no folder helps.
    guard list.report.functions.contains(where: { $0.file != nil }) else {
      return
        "Without debug information nothing shows whose code this is. Compile with -g."
    }
    guard let folder else {
      return "All code is listed: no recorded source file fits the patterns of own code."
    }
    return "All code is listed: no recorded source file lies in \(folder). Run firstlight in your "
      + "project's folder, or name your code with --own GLOB."
  }

  /// The share of called functions in whole percent. If functions are unknown: a lower bound, rounded down.
  /// Otherwise only 0 becomes 0%, and only all become 100%.
  static func wholePercent(_ module: ModuleCoverage) -> String {
    guard let share = module.shareAtLeast, module.called > 0 || module.unknown == 0 else {
      return "unknown"
    }
    guard module.unknown == 0 else { return "at least \(Int(clamping: share * 100))%" }
    if module.called == 0 { return "0%" }
    if module.called == module.recorded { return "100%" }
    return "\(min(99, max(1, Int(clamping: (share * 100).rounded()))))%"
  }

  static func percent(_ share: Double) -> String {
    NumberText.decimal(share * 100, digits: share < 0.001 ? 3 : share < 0.1 ? 2 : 1) + "%"
  }

  /// The number of functions with each verdict, and its label. Of the dropped ones, functions that only the tests'
  /// binaries have count apart.
  static func verdicts(_ list: DeadCodeList) -> [(verdict: Verdict, count: Int, label: String)] {
    let absent = list.report.select { $0.reason == .notInProgram && list.isInScope($0) }.count
    let counts = list.sums.functionVerdicts
    return Verdict.allCases.filter { $0 != .folded }.flatMap { verdict in
      let count = counts[verdict, default: 0]
      let known = (verdict, verdict == .dropped ? count - absent : count, label(verdict))
      return verdict == .dropped
        ? [known, (verdict, absent, "not in the program, only in its tests")] : [known]
    }
  }

  /// A verdict as a label in the sums.
  static func label(_ verdict: Verdict) -> String {
    switch verdict {
    case .called: "called"
    case .neverCalled: "never called"
    case .belowThreshold: "called in fewer runs than --below"
    case .folded: "folded: parts of other functions"
    case .compilerGenerated: "compiler-generated"
    case .inlined: "inlined: may have run inside a caller"
    case .notInstrumented: "not instrumented"
    case .notCalledWhileWatched: "not called while watched; a start may have called them"
    case .unwatched: "unwatched: could not be watched"
    case .dropped: "dropped: not in the newest build"
    case .kept: "never called, kept on purpose"
    }
  }
}

/// The reasons to doubt recordings from which code is removed.
package enum EvidenceDoubts {
  /// One sentence a line; empty if all runs ended well.
  package static func lines(_ list: DeadCodeList) -> [String] {
    [
      DeadSentences.endings(list.report.observation),
      list.tests.flatMap(DeadSentences.endings).map { "tests: \($0)" },
    ].compactMap(\.self)
  }
}
