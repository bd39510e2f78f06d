import DeadCode
import DeclarationRemoval
import FirstlightModel
import NeverCalledListing
import ReferenceIndex
import TextFormatting

/// Applies the rules for deprecation and removal to a never-called list.
package struct Retirement {
  package let answer: NeverCalledAnswer
  private let rules: RetirementRules
  private let sources: PruneSources
  private let marks: FoundMarks

  package init(_ answer: NeverCalledAnswer, rules: RetirementRules, sources: PruneSources) {
    self.answer = answer
    self.rules = rules
    self.sources = sources
    marks = FoundMarks(answer, sources)
  }

  private var observation: Observation { answer.list.report.observation }

  // MARK: Deprecation

  /// - Throws: `Failure` of kind `.usage` without references.
  ///
  /// - Parameter isVerified: whether a build shows where marks warn.
  package func plan(isVerified: Bool) throws(Failure) -> RetirePlan {
    var candidates = try MarkableCandidates.of(answer, isUsed: false, isVerified: isVerified)
    let marked = marks.marks(of: candidates)
    var actions: [RetirePlan.Action] = []
    for (number, candidate) in candidates.enumerated() {
      let isMarked = marked[number] != nil
      if !isMarked, let mark = mark(candidate) {
        actions.append(.mark(mark))
      } else {
        actions.append(.none(isMarked: isMarked))
      }
    }
    let unmarked = staleMarks()
    let first = candidates.count
    candidates += unmarked.map(\.candidate)
    for mark in unmarked { actions.append(.unmark(mark.range, mark.reason)) }
    for number in unmarked.indices {
      candidates[first + number].uses = unmarked[number].uses.map { first + $0 }
    }
    return RetirePlan(candidates, actions, sources: sources)
  }

  /// The mark of a function that is due; nil if it is not.
  private func mark(_ candidate: PruneCandidate) -> RetirementMark? {
    guard let age = candidate.age, let since = age.since else { return nil }
    let days = (observation.endedAt - since) / 86400
    guard rules.deprecate.isMet(days: days, runs: age.runs) else { return nil }
    return RetirementMark(
      from: TimeText.day(since), to: TimeText.day(observation.endedAt), runs: age.runs)
  }

  /// Why a plan changes nothing: what was recorded, and what the rules ask for.
  package func waiting(_ plan: RetirePlan) -> String {
    if plan.markedCount > 0 {
      let count = CountText.text(plan.markedCount, "function")
      return "nothing more is due: \(count) deprecated already"
    }
    let seconds = observation.endedAt - observation.startedAt
    let weeks = seconds / (7 * 86400)
    let time = weeks < 1 ? TimeText.text(seconds) : "\(NumberText.decimal(weeks, digits: 1)) weeks"
    return "nothing is due: recorded \(time) and "
      + "\(CountText.text(observation.runs, "run")); the rules ask for \(text(rules.deprecate))"
  }

  // MARK: Marks to take back

  private struct Unmarked {
    var candidate: PruneCandidate
    var range: Range<Int>
    var reason: String
    /// Indices of others that it refers to.
    var uses: [Int] = []
  }

  /// The marks of functions that were called or are kept, and of those that they refer to: their
  /// callers would warn otherwise.
  private func staleMarks() -> [Unmarked] {
    var result: [Unmarked] = []
    var open: [FoundMarks.Found] = []
    var numbers: [ReferenceIndex.Symbol: Int] = [:]
    for mark in marks.found {
      if let reason = reason(mark) { add(mark, reason) } else { open.append(mark) }
    }
    while let index = answer.references?.index {
      let left = open.filter { mark in
        let users = symbols(mark, index).lazy.flatMap { index.references(to: $0) }
          .compactMap { reference in reference.container.flatMap { numbers[$0] } }
        guard let user = users.first else { return true }
        let number = add(mark, "\(result[user].candidate.name) refers to it")
        result[user].uses.append(number)
        return false
      }
      if left.count == open.count { break }
      open = left
    }
    return result

    @discardableResult
    func add(_ mark: FoundMarks.Found, _ reason: String) -> Int {
      let name = mark.rows.first?.shortName ?? ""
      if let index = answer.references?.index {
        for symbol in symbols(mark, index) { numbers[symbol] = result.count }
      }
      result.append(
        Unmarked(
          candidate: PruneCandidate(
            name: name, identity: mark.rows.first?.identity ?? "",
            definition: .init(
              file: mark.file,
              target: DeclarationTarget(name: name, line: mark.declaration.lines.lowerBound))),
          range: mark.declaration.range, reason: reason))
      return result.count - 1
    }
  }

  /// Why functions lose their mark; nil if they keep it.
  private func reason(_ mark: FoundMarks.Found) -> String? {
    // Recordings from before the mark may be read with later ones.
    let start = Self.start(of: mark.declaration.mark) ?? 0
    let called = mark.rows.first { row in
      row.calledRuns > 0 && (row.lastSeen == 0 || row.lastSeen >= start)
    }
    if let called {
      return "called in \(CountText.number(called.calledRuns)) of "
        + "\(CountText.text(called.watchedRuns, "run")), last on \(TimeText.day(called.lastSeen))"
    }
    return mark.rows.first { $0.verdict == .kept }.map { "kept: \($0.keepReason ?? "")" }
  }

  private func symbols(
    _ mark: FoundMarks.Found, _ index: ReferenceIndex
  ) -> [ReferenceIndex.Symbol] {
    guard let file = index.file(mark.file) else { return [] }
    let lines = Set(mark.rows.map(\.line)).filter(mark.declaration.lines.contains)
    return lines.sorted().flatMap { index.symbols(file: file, line: $0) }
  }

  // MARK: Removal

  /// Candidates for removal, and those of them that were marked for long enough or that only these
  /// refer to.
  package func removal() throws(Failure) -> (candidates: [PruneCandidate], chosen: Set<Int>) {
    let candidates = try MarkableCandidates.of(answer, isUsed: true)
    let ages = marks.marks(of: candidates).compactMap { number, mark in
      age(of: candidates[number], since: mark).map { (number, $0) }
    }
    let chosen = candidates.removable(
      marked: Dictionary(uniqueKeysWithValues: ages), by: rules
    ) { answer.references?.group(candidates[$0].identity) == .publicInterface }
    return (candidates, chosen)
  }

  /// What was recorded since a mark.
  private func age(of candidate: PruneCandidate, since mark: RetirementMark) -> RetirementAge? {
    guard let age = candidate.age, let since = age.since, let marked = Self.start(of: mark) else {
      return nil
    }
    // Runs that the mark counts do not count again.
    let runs = since < marked ? max(0, age.runs - mark.runs) : age.runs
    return RetirementAge(days: (observation.endedAt - max(since, marked)) / 86400, runs: runs)
  }

  /// The start of the last day of a mark's recordings, in seconds since 1970.
  private static func start(of mark: RetirementMark) -> Double? {
    CivilDate(mark.to).map { Double($0.daysSince1970) * 86400 }
  }

  /// What `prune --marked` says if nothing can be removed.
  package var nothingToRemove: String {
    "nothing was deprecated and then recorded for long enough: the rules ask for "
      + text(rules.remove)
  }

  private func text(_ threshold: RetirementRules.Threshold) -> String {
    let digits = threshold.weeks.rounded() == threshold.weeks ? 0 : 1
    return "\(NumberText.decimal(threshold.weeks, digits: digits)) weeks and "
      + CountText.text(threshold.runs, "run")
  }
}
