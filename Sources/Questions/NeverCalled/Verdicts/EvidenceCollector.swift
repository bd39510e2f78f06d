import FirstlightModel

/// Collects the evidence on each function of a profile: the only type that walks builds, guards and families for it.
struct EvidenceCollector {
  let profile: Profile
  let request: NeverCalledRequest
  let families: [FunctionFamily]
  /// By build.
  let facts: [BuildFacts]
  /// Whether some build has counters.
  let hasCounters: Bool
  /// The windows of the profile.
  private let windows: (count: Int, seconds: Double)
  /// By family: see `SharedCode.uses`.
  private var shared: [Int: FunctionEvidence.OtherCode] = [:]
  /// Bounds that were already computed, by share.
  var bounds: [Share: Double] = [:]

  struct Share: Hashable {
    var called: Int
    var watched: Int
  }

  init(_ profile: Profile, _ request: NeverCalledRequest) {
    self.profile = profile
    self.request = request
    hasCounters = profile.builds.contains { $0.countedRuns > 0 }
    windows = Observation.windows(of: profile)
    families = FunctionFamilies(profile, dropped: request.dropped, map: request.map).families
      .map(\.named)
    facts = BuildFacts.of(profile, families)
    shared = SharedCode(families, in: self).uses
  }

  /// A report on each function that the request wants, with the reason for its verdict.
  mutating func reports() -> ([FunctionReport], DeadCodeReport.Sums) {
    var reports: [FunctionReport] = []
    reports.reserveCapacity(families.count)
    var sums = DeadCodeReport.Sums()
    for recorded in profile.builds { sums.guards += recorded.build.guarded.count }
    // Modules and files are few compared to functions: each pair is examined once.
    var known: [Place: (isWanted: Bool, origin: CodeOrigin?)] = [:]
    var seen = 0
    for index in families.indices {
      let (head, outline) = outline(of: families[index])
      let place = Place(module: outline.module, file: outline.file)
      let found =
        known[place]
        ?? (
          request.isWanted(place.module, place.file),
          place.file.flatMap { request.ownCode?.origin(of: $0) }
        )
      known[place] = found
      guard found.isWanted else { continue }
      var report = report(index, head, outline)
      report.origin = found.origin
      seen += sums.add(report)
      reports.append(report)
    }
    sums.outside = sums.guards - seen
    reports.sortForReading()
    reports.distinguish()
    return (reports, sums)
  }

  private struct Place: Hashable {
    var module: String
    var file: String?
  }

  // MARK: One function

  private mutating func report(
    _ index: Int, _ head: Int, _ outline: FunctionReport
  ) -> FunctionReport {
    let family = families[index]
    var report = outline
    report.images = images(of: family)
    report.bytes = bytes(of: family)
    count(family, into: &report)
    report.owners = report.file.map(request.owners) ?? []
    report.reason = VerdictRules.reason(
      evidence(index, family.pieces[head], &report), below: request.below)
    if report.verdict == .compilerGenerated { report.keepReason = nil }
    return report
  }

  /// - Parameter report: has the counts, and gets the reason to keep the function.
  private func evidence(
    _ index: Int, _ head: FunctionReport.Piece, _ report: inout FunctionReport
  ) -> FunctionEvidence {
    let family = families[index]
    var evidence = FunctionEvidence(watchedRuns: report.watchedRuns, calledRuns: report.calledRuns)
    evidence.isCompilerGenerated = isCompilerGenerated(family)
    guard !evidence.isCompilerGenerated else { return evidence }
    evidence.counted = counted(family)
    evidence.isInNewestBuild = isInNewestBuild(family)
    // Only what the source has is counted, so a missing counter mostly says it without a look at the source.
    let isCountedCode =
      evidence.counted == .others && report.calledRuns == 0 && evidence.isInNewestBuild
    if family.isSwift, evidence.counted != .itself, !isCountedCode,
      FunctionIdentity(name: head.name, entity: family.root).isOftenImplicit,
      isPlacedByItself(family, head)
    {
      evidence.isImplicitMember = request.isImplicit(report)
    }
    guard !evidence.isImplicitMember else { return evidence }
    report.keepReason = request.keepReason(report)
    // Most look-ups are for functions without a recorded call.
    guard report.calledRuns == 0 else { return evidence }
    evidence.isKept = report.keepReason != nil
    evidence.attribute = request.inlining(report)
    evidence.isMain = family.root == "main"
    evidence.isMainOfTestedProgram = report.isMainOfTestedProgram
    evidence.isWithoutStart = isWithoutStart(family)
    if report.watchedRuns == windows.count { evidence.windowSeconds = windows.seconds }
    evidence.sharedCode = shared[index]
    addSource(of: family, report.file, to: &evidence)
    addCode(of: family, index, hasGuard: report.head != nil, to: &evidence)
    return evidence
  }

  func function(_ piece: FunctionReport.Piece) -> Function? {
    profile.function(of: piece)
  }

  /// The build of a piece; nil if it is in none.
  func build(of piece: FunctionReport.Piece) -> Build? {
    piece.build.map { profile.builds[$0].build }
  }
}
