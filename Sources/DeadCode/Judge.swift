import FirstlightModel
import RunStatistics

/// Says of each function of a profile what is to be said.
struct Judge {
  private let profile: Profile
  private let options: DeadCodeReport.Options
  private let families: [FunctionFamily]
  /// For each build its place among the versions of its image, and the newest of these.
  private let order: [Int]
  private var rank: [Int]
  private var newest: [String: Int] = [:]
  /// By build and guard: which family a guarded function is of.
  private var familyOfGuard: [[Int32]]
  private var bounds: [Share: Double] = [:]

  private struct Share: Hashable {
    var called: Int
    var watched: Int
  }

  init(_ profile: Profile, _ options: DeadCodeReport.Options) {
    self.profile = profile
    self.options = options
    var table = FamilyTable(profile, map: options.map)
    for function in options.dropped {
      table.addDropped(name: function.name, demangled: function.demangled)
    }
    families = table.families
    order = Observation.order(of: profile)
    rank = [Int](repeating: 0, count: profile.builds.count)
    for (place, build) in order.enumerated() {
      rank[build] = place
      if profile.builds[build].runs > 0 { newest[profile.builds[build].build.name] = build }
    }
    familyOfGuard = profile.builds.map { Array(repeating: -1, count: $0.build.functions.count) }
    for (index, family) in families.enumerated() {
      for piece in family.pieces {
        if case .guarded(let function) = piece.place {
          familyOfGuard[piece.build][function] = Int32(index)
        }
      }
    }
  }

  mutating func judgeAll() -> ([FunctionReport], DeadCodeReport.Sums) {
    var reports: [FunctionReport] = []
    var sums = DeadCodeReport.Sums()
    for recorded in profile.builds {
      sums.guards += recorded.build.functions.count
      sums.guardsOfAllKinds += max(recorded.build.guardCount, recorded.build.functions.count)
    }
    // Few modules and files have many functions: each pair is judged once.
    var judged: [Place: Bool] = [:]
    var seen = 0
    for index in families.indices {
      let report = judge(index)
      let place = Place(module: report.module, file: report.file)
      let isWanted = judged[place] ?? options.isWanted(report.module, report.file)
      judged[place] = isWanted
      guard isWanted else { continue }
      seen += count(report, in: &sums)
      reports.append(report)
    }
    sums.outside = sums.guards - seen
    sums.functions = reports.count
    reports.sort(by: Self.isBefore)
    return (reports, sums)
  }

  private struct Place: Hashable {
    var module: String
    var file: String?
  }

  /// Adds a function to the sums; gives the number of its guards.
  private func count(_ report: FunctionReport, in sums: inout DeadCodeReport.Sums) -> Int {
    let guards = report.pieces.count {
      if case .guarded = $0.place { true } else { false }
    }
    sums.functionVerdicts[report.verdict, default: 0] += 1
    if guards == 0 {
      sums.withoutGuard[report.verdict, default: 0] += 1
    } else if report.verdict == .compilerMade {
      sums.guardVerdicts[.compilerMade, default: 0] += guards
    } else {
      sums.guardVerdicts[report.verdict, default: 0] += 1
      sums.guardVerdicts[.folded, default: 0] += guards - 1
    }
    return guards
  }

  // MARK: One function

  private mutating func judge(_ index: Int) -> FunctionReport {
    let family = families[index]
    let head = head(of: family)
    let piece = family.pieces[head]
    let function = function(piece)
    let build = piece.build < 0 ? nil : profile.builds[piece.build].build
    var report = FunctionReport(
      identity: family.root, name: family.root, mangledName: function?.name ?? "",
      module: function.map { $0.module.isEmpty ? build?.name ?? "" : $0.module } ?? "",
      images: images(of: family), file: nil, line: 0, verdict: .neverCalled, watchedRuns: 0,
      calledRuns: 0, firstSeen: 0, lastSeen: 0, bound: 1, bytes: bytes(of: family),
      pieces: family.pieces, head: nil)
    if function == nil { report.mangledName = family.root }
    if let function, let file = function.file, file != "<compiler-generated>" {
      report.file = options.map(file)
      report.line = function.line
    }
    if !family.isSwift {
      if family.root == function?.name, function?.demangledName == function?.name {
        report.name = family.root
      }
      // A name of C says little beyond its file.
      if function?.isLocal == true || family.root == "main", let file = report.file {
        report.identity = "\(family.root) \(file)"
      }
    }
    if case .guarded = piece.place { report.head = head }
    count(family, into: &report)
    report.verdict = verdict(index, family, &report)
    if family.isSwift, report.verdict != .compilerMade,
      SwiftEntityName.isOftenImplicit(family.root), isPlacedByItself(family, piece),
      options.isImplicit(report)
    {
      report.verdict = .compilerMade
    }
    report.owners = report.file.map(options.owners) ?? []
    if report.verdict != .compilerMade {
      report.keepReason = options.keepReason(report)
      if report.keepReason != nil, report.verdict == .neverCalled { report.verdict = .kept }
    }
    return report
  }

  private func function(_ piece: FunctionReport.Piece) -> Function? {
    guard piece.build >= 0 else { return nil }
    let build = profile.builds[piece.build].build
    switch piece.place {
    case .guarded(let index): return build.functions[index]
    case .unguarded(let index): return build.unguarded[index]
    case .inlined(let index):
      let copy = build.inlined[index]
      return Function(
        address: nil, size: 0, name: copy.name, demangledName: copy.demangledName,
        module: copy.module, file: copy.file, line: copy.line, isCompilerMade: false,
        isLocal: false)
    case .dropped: return nil
    }
  }

  /// The piece that stands for the function: guarded ones before others, the function itself before
  /// its pieces, the newest build before older ones.
  private func head(of family: FunctionFamily) -> Int {
    func weight(_ piece: FunctionReport.Piece) -> (Int, Int, Int, Int) {
      let place =
        switch piece.place {
        case .guarded: 0
        case .unguarded: 1
        case .inlined: 2
        case .dropped: 3
        }
      let kind =
        switch piece.kind {
        case nil: 0
        case .accessor: 1
        case .copy: 2
        case .initialValue: 3
        case .specialisation: 4
        case .asyncPiece: 5
        case .mergedBody: 6
        case .coldPart: 7
        case .defaultArgument: 8
        case .closure: 9
        case .thunk: 10
        }
      return (
        place, piece.isCompilerMade ? 1 : 0, kind, piece.build < 0 ? 0 : -rank[piece.build]
      )
    }
    var best = 0
    var bestWeight = weight(family.pieces[0])
    for index in family.pieces.indices.dropFirst() {
      let other = weight(family.pieces[index])
      if other < bestWeight { (best, bestWeight) = (index, other) }
    }
    return best
  }

  private func images(of family: FunctionFamily) -> [String] {
    if family.pieces.count == 1, let piece = family.pieces.first {
      return piece.build < 0 ? [] : [profile.builds[piece.build].build.name]
    }
    return Set(
      family.pieces.lazy.filter { $0.build >= 0 }.map { profile.builds[$0.build].build.name }
    ).sorted()
  }

  /// Of several images that hold it, the one where it has most.
  private func bytes(of family: FunctionFamily) -> UInt64 {
    var newest: [String: Int] = [:]
    for piece in family.pieces where piece.build >= 0 {
      let name = profile.builds[piece.build].build.name
      if newest[name].map({ rank[$0] < rank[piece.build] }) ?? true { newest[name] = piece.build }
    }
    var sums: [Int: UInt64] = [:]
    // Identical functions that the linker folded share their bytes.
    var counted: Set<UInt64> = []
    for piece in family.pieces where piece.build >= 0 {
      if case .inlined = piece.place { continue }
      guard newest[profile.builds[piece.build].build.name] == piece.build,
        let function = function(piece), let address = function.address
      else { continue }
      let key = UInt64(piece.build) << 48 ^ address
      if family.pieces.count == 1 || counted.insert(key).inserted {
        sums[piece.build, default: 0] += function.size
      }
    }
    return sums.values.max() ?? 0
  }

  /// Counts the runs: of several builds of one image those of each add up, since a run loads one of
  /// them; of several images the one with the most counts, since a run may load all.
  private mutating func count(_ family: FunctionFamily, into report: inout FunctionReport) {
    var byBuild: [Int: Int] = [:]
    for piece in family.pieces where piece.build >= 0 {
      guard case .guarded(let index) = piece.place else {
        if case .inlined(let index) = piece.place { see(piece.build, index, &byBuild, &report) }
        continue
      }
      let recorded = profile.builds[piece.build]
      let seen = recorded.coverage(ofFunction: index)
      byBuild[piece.build] = max(byBuild[piece.build] ?? 0, seen.runs)
      note(seen, in: &report)
    }
    var watched: [String: Int] = [:]
    var called: [String: Int] = [:]
    for (build, runs) in byBuild {
      let name = profile.builds[build].build.name
      watched[name, default: 0] += profile.builds[build].runs
      called[name, default: 0] += runs
    }
    report.watchedRuns = watched.values.max() ?? 0
    report.calledRuns = called.values.max() ?? 0
    let share = Share(called: report.calledRuns, watched: report.watchedRuns)
    if let known = bounds[share] {
      report.bound = known
    } else {
      report.bound = BinomialBound.upper(successes: share.called, of: share.watched)
      bounds[share] = report.bound
    }
    noteUnused(byBuild, in: &report)
  }

  /// At level `edge` a guard within a copy says that the function ran.
  private func see(
    _ build: Int, _ index: Int, _ byBuild: inout [Int: Int], _ report: inout FunctionReport
  ) {
    let recorded = profile.builds[build]
    for guardIndex in recorded.build.inlined[index].guards {
      let seen = recorded.coverage[Int(guardIndex)]
      if seen.isCalled {
        byBuild[build] = max(byBuild[build] ?? 0, seen.runs)
        note(seen, in: &report)
      }
    }
  }

  private func note(_ seen: GuardCoverage, in report: inout FunctionReport) {
    guard seen.isCalled else { return }
    report.firstSeen =
      report.firstSeen == 0 ? seen.firstSeen : min(report.firstSeen, seen.firstSeen)
    report.lastSeen = max(report.lastSeen, seen.lastSeen)
  }

  /// The oldest watched build since which none of its image called it; of several images the newest
  /// such. Nil if any image's newest one did, or no image has several.
  private func noteUnused(_ byBuild: [Int: Int], in report: inout FunctionReport) {
    guard byBuild.count > 1 else { return }
    var byImage: [String: [Int]] = [:]
    for build in byBuild.keys where profile.builds[build].runs > 0 {
      byImage[profile.builds[build].build.name, default: []].append(build)
    }
    guard byImage.values.contains(where: { $0.count > 1 }) else { return }
    for builds in byImage.values {
      var since: Int?
      for build in builds.sorted(by: { rank[$0] < rank[$1] }) {
        let isCalled = byBuild[build, default: 0] > 0
        since = isCalled ? nil : since ?? rank[build]
      }
      guard let since else {
        report.unusedSince = nil
        return
      }
      if builds.count > 1 { report.unusedSince = max(report.unusedSince ?? 0, since) }
    }
  }

  private func verdict(
    _ index: Int, _ family: FunctionFamily, _ report: inout FunctionReport
  ) -> Verdict {
    // Copies of specialisations say nothing of who made them.
    let told = family.pieces.filter { !isOfUnknownPlace($0) }
    let isMade = !told.isEmpty && told.allSatisfy(\.isCompilerMade)
    if isMade { return .compilerMade }
    if report.calledRuns > 0 {
      guard let below = options.below, report.penetration < below else { return .called }
      return .belowThreshold
    }
    if isDropped(family) { return .dropped }
    if mayHaveRunInlined(index, family) { return .inlined }
    let bodies = family.pieces.filter { Self.isBody($0.kind) }
    let isInlinedOnly =
      !bodies.isEmpty
      && bodies.allSatisfy { if case .inlined = $0.place { true } else { false } }
    if isInlinedOnly { return .inlined }
    let hasUnguardedBody = bodies.contains {
      if case .unguarded = $0.place { !$0.isCompilerMade } else { false }
    }
    if hasUnguardedBody || report.head == nil { return .notInstrumented }
    switch options.inlining(report) {
    case .mandatory: return .inlined
    case .whenOptimised
    where family.pieces.contains { $0.build >= 0 && profile.builds[$0.build].build.isOptimised }:
      return .inlined
    case .never: return .neverCalled
    default: return mayHaveVanished(family, report) ? .inlined : .neverCalled
    }
  }

  /// Whether an optimiser can have copied it into callers and left no record: of functions that only
  /// pass things on or put them together, nothing may remain that a record could be about. The limits
  /// are well above what was seen to vanish (Benchmarks/RESULTS.md). C files are compiled one by one,
  /// and their compilers leave a record of all but the smallest.
  private func mayHaveVanished(_ family: FunctionFamily, _ report: FunctionReport) -> Bool {
    let bodies = family.pieces.filter { Self.isBody($0.kind) && $0.build >= 0 }
    guard bodies.contains(where: { profile.builds[$0.build].build.isOptimised }) else {
      return false
    }
    let limit: UInt64 =
      family.isSwift ? SwiftEntityName.isGeneric(family.root) ? 1024 : 256 : 64
    let largest = bodies.lazy.compactMap { function($0)?.size }.max() ?? 0
    return largest < limit
  }

  /// Whether the place that is known of a function is its own, or stands for it since debug information
  /// has no place of its own for it.
  private func isPlacedByItself(
    _ family: FunctionFamily, _ head: FunctionReport.Piece
  ) -> Bool {
    if head.kind == nil || head.kind == .copy || head.kind == .specialisation { return true }
    let itself = family.pieces.filter { $0.kind == nil }
    return !itself.isEmpty && itself.allSatisfy(\.isCompilerMade)
  }

  private func isOfUnknownPlace(_ piece: FunctionReport.Piece) -> Bool {
    guard case .inlined(let index) = piece.place else { return false }
    return profile.builds[piece.build].build.inlined[index].file == nil && !piece.isCompilerMade
  }

  /// Whether such a piece is the function's own code, so that the function ran if it did, and only
  /// then.
  private static func isBody(_ kind: PieceKind?) -> Bool {
    switch kind {
    case nil, .accessor, .copy, .specialisation, .initialValue: true
    case .closure, .defaultArgument, .asyncPiece, .mergedBody, .thunk, .coldPart: false
    }
  }

  /// Whether it is in no newest build of an image, but in the linker's list or in older builds.
  private func isDropped(_ family: FunctionFamily) -> Bool {
    family.pieces.allSatisfy { piece in
      guard piece.build >= 0 else { return true }
      let image = profile.builds[piece.build].build.name
      guard let newest = newest[image] else { return false }
      return rank[newest] > rank[piece.build]
    }
  }

  /// Whether a function that holds a copy of it, and isn't one of its own pieces, was called, or
  /// can't be watched.
  private func mayHaveRunInlined(_ index: Int, _ family: FunctionFamily) -> Bool {
    for piece in family.pieces {
      guard case .inlined(let copy) = piece.place else { continue }
      let recorded = profile.builds[piece.build]
      let inlined = recorded.build.inlined[copy]
      if inlined.hasUnwatchedHost { return true }
      for host in inlined.hosts {
        guard let function = recorded.build.function(ofGuard: host) else { return true }
        if familyOfGuard[piece.build][function] == Int32(index) { continue }
        if recorded.isCalled(function: function) { return true }
      }
    }
    return false
  }

  private static func isBefore(_ a: FunctionReport, _ b: FunctionReport) -> Bool {
    if a.module != b.module { return a.module < b.module }
    let (aFile, bFile) = (a.file ?? "", b.file ?? "")
    if aFile != bFile { return aFile < bFile }
    if a.line != b.line { return a.line < b.line }
    return a.name < b.name
  }
}
