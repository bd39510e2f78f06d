import FirstlightModel

extension EvidenceCollector {
  /// Counts the runs. Those of several builds of one image are added, since a run loads one of them. Of
  /// several images the largest number counts, since one run may load all.
  mutating func count(_ family: FunctionFamily, into report: inout FunctionReport) {
    if family.pieces.count == 1 {
      countOnly(family.pieces[0], into: &report)
    } else {
      countAll(family, into: &report)
    }
    let share = Share(called: report.calledRuns, watched: report.watchedRuns)
    if let known = bounds[share] {
      report.bound = known
    } else {
      report.bound = BinomialBound.upper(successes: share.called, of: share.watched)
      bounds[share] = report.bound
    }
  }

  /// The usual case: a function of one piece, mostly with a guard. The sums are those of the guard.
  private func countOnly(_ piece: FunctionReport.Piece, into report: inout FunctionReport) {
    guard let build = piece.build, piece.isGuarded || piece.isCounted else { return }
    let recorded = profile.builds[build]
    let seen = recorded.coverage(ofFunction: piece.index)
    report.calledRuns = seen.runs
    note(seen, in: &report)
    report.watchedRuns = piece.isCounted ? recorded.countedRuns : recorded.runs
  }

  private func countAll(_ family: FunctionFamily, into report: inout FunctionReport) {
    var byBuild: [Int: Int] = [:]
    var countedBuilds: Set<Int> = []
    for piece in family.pieces where piece.isGuarded || piece.isCounted {
      guard let build = piece.build else { continue }
      if piece.isCounted { countedBuilds.insert(build) }
      let seen = profile.builds[build].coverage(ofFunction: piece.index)
      byBuild[build] = max(byBuild[build] ?? 0, seen.runs)
      note(seen, in: &report)
    }
    var watched: [TextBytes: Int] = [:]
    var called: [TextBytes: Int] = [:]
    // For a counted function, runs without counters can show a call, but not that there was none.
    let isDecided = Self.isCounted(family)
    for (build, runs) in byBuild {
      let name = facts[build].image
      let all = profile.builds[build]
      watched[name, default: 0] +=
        !isDecided || runs > 0 ? all.runs : countedBuilds.contains(build) ? all.countedRuns : 0
      called[name, default: 0] += runs
    }
    report.watchedRuns = watched.values.max() ?? 0
    report.calledRuns = called.values.max() ?? 0
    noteUnused(byBuild, in: &report)
  }

  private func note(_ seen: GuardCoverage, in report: inout FunctionReport) {
    guard seen.isCalled else { return }
    report.firstSeen =
      report.firstSeen == 0 ? seen.firstSeen : min(report.firstSeen, seen.firstSeen)
    report.lastSeen = max(report.lastSeen, seen.lastSeen)
  }

  /// Notes the oldest build from which on no build of the image called the function; with several images, the
  /// latest of these. Notes nothing if an image's newest build called it, or if no image has several builds. Two
  /// recorders may have watched one build.
  private func noteUnused(_ byBuild: [Int: Int], in report: inout FunctionReport) {
    guard byBuild.count > 1 else { return }
    var byImage: [TextBytes: [Int]] = [:]
    for build in byBuild.keys where profile.builds[build].runs > 0 {
      byImage[facts[build].image, default: []].append(build)
    }
    func id(_ build: Int) -> BuildID { profile.builds[build].build.buildID }
    for builds in byImage.values {
      let called = Set(builds.filter { byBuild[$0, default: 0] > 0 }.map(id))
      var since: Int?
      for build in builds.sorted(by: { facts[$0].rank < facts[$1].rank }) {
        since = called.contains(id(build)) ? nil : since ?? facts[build].rank
      }
      guard let since else {
        report.unusedSince = nil
        return
      }
      if Set(builds.map(id)).count > 1 { report.unusedSince = max(report.unusedSince ?? 0, since) }
    }
  }
}
