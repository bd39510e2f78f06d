import DeadCode
import FirstlightModel
import TextFormatting

/// What never-called lists say in words, whatever their format.
enum DeadSentences {
  /// What is said of one function.
  static func text(_ row: FunctionReport) -> String {
    switch row.verdict {
    case .neverCalled:
      "\(row.name) was never called in \(CountText.text(row.watchedRuns, "watched run"))"
    case .belowThreshold:
      "\(row.name) was called in \(CountText.number(row.calledRuns)) of "
        + CountText.text(row.watchedRuns, "watched run")
    default: "\(row.name): \(row.verdict.rawValue)"
    }
  }

  /// How much was watched, one sentence a line.
  static func observation(_ observation: Observation) -> [String] {
    var watched =
      "Watched \(CountText.text(observation.runs, "run")) "
      + "(\(CountText.text(observation.processes, "process", "processes")))"
    if !observation.hosts.isEmpty {
      watched += " on \(CountText.text(observation.hosts.count, "host"))"
    }
    watched +=
      " of \(CountText.text(observation.versions.count, "build")), "
      + "\(TimeText.text(observation.timeObserved)) in all"
    if observation.endedAt > observation.startedAt, observation.startedAt > 0 {
      watched +=
        ", from \(TimeText.moment(observation.startedAt)) to \(TimeText.moment(observation.endedAt))"
    }
    var lines = [watched + ". Losses: \(LossText.text(observation.losses))."]
    if !observation.losses.isEmpty {
      lines.append("What was lost looks like never called: do not delete by this list.")
    }
    for problem in observation.problems.prefix(5) {
      lines.append(
        "Problem: \(problem.text)"
          + (problem.count > 1 ? " (in \(CountText.text(problem.count, "run")))" : "") + ".")
    }
    if observation.problems.count > 5 {
      lines.append(
        "And \(CountText.text(observation.problems.count - 5, "problem")) more: firstlight info "
          + "shows all.")
    }
    for name in observation.imagesWithoutDebugInfo {
      lines.append(
        "\(name) has no debug information: compiler-generated functions and inlined ones cannot be told."
      )
    }
    return lines
  }

  /// What "never" means at so many runs.
  static func bound(_ list: DeadCodeList) -> String? {
    var fewest = Int.max
    var bound = 0.0
    var isWatched = false
    for row in list.rows where row.verdict == .neverCalled {
      isWatched = isWatched || row.watchedRuns > 0
      fewest = min(fewest, row.watchedRuns)
      bound = max(bound, row.bound)
    }
    guard isWatched else { return nil }
    let all = list.report.observation.runs
    let some =
      fewest < all
      ? "Of \(CountText.text(all, "watched run")) some functions listed here were in no more than "
        + "\(CountText.number(fewest)). " : ""
    return some
      + "At 95% confidence, what \(CountText.text(fewest, "watched run")) did not call is called "
      + "by at most \(percent(bound)) of runs like these."
  }

  /// That some functions are not listed since nothing names them; nil: there are none.
  static func nameless(_ list: DeadCodeList) -> String? {
    guard list.namelessCount > 0 else { return nil }
    return "\(CountText.text(list.namelessCount, "function")) that would be listed "
      + (list.namelessCount == 1 ? "has" : "have")
      + " no name, as the binary is stripped: keep its symbols or its debug file, and record again. "
      + "--all lists addresses."
  }

  static func percent(_ share: Double) -> String {
    NumberText.decimal(share * 100, digits: share < 0.001 ? 3 : share < 0.1 ? 2 : 1) + "%"
  }

  /// What a verdict means, as a line of a sum says it.
  static func label(_ verdict: Verdict) -> String {
    switch verdict {
    case .called: "called"
    case .neverCalled: "never called"
    case .belowThreshold: "called by fewer runs than asked for"
    case .folded: "folded: pieces of other functions"
    case .compilerGenerated: "compiler-generated"
    case .inlined: "inlined: may have run inside a caller"
    case .notInstrumented: "not instrumented"
    case .dropped: "dropped: not in the newest build"
    case .kept: "never called, kept on purpose"
    }
  }
}
