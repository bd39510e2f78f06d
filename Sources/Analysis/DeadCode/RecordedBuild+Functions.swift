import FirstlightModel

extension RecordedBuild {
  /// Whether any run called a function: reached its entry guard, or any of its guards at level `edge`.
  package func isCalled(function index: Int) -> Bool {
    guards(ofFunction: index).contains { coverage[$0].isCalled }
  }

  /// The coverage of a function. At level `edge`: the coverage of the guard that most runs reached.
  func coverage(ofFunction index: Int) -> GuardCoverage {
    let guards = guards(ofFunction: index)
    var seen = coverage[guards.lowerBound]
    for other in guards.dropFirst() where coverage[other].runs > seen.runs {
      seen = coverage[other]
    }
    return seen
  }

  private func guards(ofFunction index: Int) -> Range<Int> {
    let first = Int(build.entryGuards[index])
    guard build.recorder == .guards else { return first..<first + 1 }
    let end =
      index + 1 < build.entryGuards.count ? Int(build.entryGuards[index + 1]) : build.guardCount
    return first..<max(end, first + 1)
  }
}
