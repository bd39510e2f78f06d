import FirstlightModel

/// Decides the verdict on each function of a profile.
struct VerdictClassifier {
  let profile: Profile
  let request: NeverCalledRequest
  private let families: [FunctionFamily]
  /// Builds by image, from the oldest to the newest.
  private let order: [Int]
  /// By build: its place in `order`.
  var rank: [Int]
  /// By image name: the newest build that was run.
  var newest: [TextBytes: Int] = [:]
  /// By build.
  let imageNames: [String]
  /// By build: a list of its image's name alone, which the functions of one image share.
  let imageLists: [[String]]
  /// By build and guard: the family of the guarded function.
  var familyOfGuard: [[Int32]]
  /// By build and guard: whether it is a cold part of a function that was called.
  private var isColdPartOfCalled: [[Bool]]
  /// By family: see `SharedCode.reasons`.
  private(set) var shared: [Int: VerdictReason] = [:]
  /// By build: files with functions that its compiler counted.
  let countedFiles: [Set<TextBytes>]
  /// By build: whether it was counted, but not in all objects.
  let hasUncountedObjects: [Bool]
  /// By build: Swift modules with functions that the compiler counted.
  let countedModules: [Set<TextBytes>]
  /// The windows of the profile.
  let windows: (count: Int, seconds: Double)
  /// Bounds that were already computed, by share.
  var bounds: [Share: Double] = [:]

  struct Share: Hashable {
    var called: Int
    var watched: Int
  }

  init(_ profile: Profile, _ request: NeverCalledRequest) {
    self.profile = profile
    self.request = request
    windows = Observation.windows(of: profile)
    let countedFiles = profile.builds.map { Set(texts: $0.counters.functions.lazy.map(\.file)) }
    self.countedFiles = countedFiles
    countedModules = profile.builds.map {
      Set(texts: $0.counters.functions.lazy.map(\.module)).subtracting([""])
    }
    // Guards show which code of a counted build was compiled with its flags.
    hasUncountedObjects = zip(profile.builds, countedFiles).map { recorded, counted in
      !counted.isEmpty && recorded.build.guardCount > 0
        && recorded.build.unguarded.contains { function in
          guard let file = function.file, !function.isCompilerGenerated else { return false }
          return !counted.contains(file) && Self.isCompiledByItself(file)
        }
    }
    var table = FunctionFamilies(profile, map: request.map)
    for function in request.dropped {
      table.addDropped(name: function.name, demangled: function.demangled)
    }
    families = table.families.map(\.named)
    imageNames = profile.builds.map(\.build.name)
    imageLists = imageNames.map { [$0] }
    order = Observation.order(of: profile)
    rank = [Int](repeating: 0, count: profile.builds.count)
    for (place, build) in order.enumerated() {
      rank[build] = place
      // A fleet may lack the names of a build, so it does not show which functions the newer build dropped.
      let isKnown = !profile.builds[build].build.functions.isEmpty
      if isKnown, profile.builds[build].runs > 0 { newest[imageNames[build]] = build }
    }
    familyOfGuard = profile.builds.map { Array(repeating: -1, count: $0.build.functions.count) }
    isColdPartOfCalled = familyOfGuard.map { Array(repeating: false, count: $0.count) }
    for index in families.indices {
      var isCalled = false
      for piece in families[index].pieces {
        if case .guarded(let function) = piece.place {
          familyOfGuard[piece.build][function] = Int32(index)
          isCalled = isCalled || profile.builds[piece.build].isCalled(function: function)
        }
      }
      guard isCalled else { continue }
      for piece in families[index].pieces where piece.kind == .coldPart {
        if case .guarded(let function) = piece.place {
          isColdPartOfCalled[piece.build][function] = true
        }
      }
    }
    shared = SharedCode(families, in: self).reasons
  }

  /// Whether a function is a cold part, split off from a function that some run called.
  func isColdPartOfCalled(_ function: Int, of build: Int) -> Bool {
    isColdPartOfCalled[build][function]
  }

  mutating func judgeAll() -> ([FunctionReport], DeadCodeReport.Sums) {
    var reports: [FunctionReport] = []
    reports.reserveCapacity(families.count)
    var sums = DeadCodeReport.Sums()
    for recorded in profile.builds { sums.guards += recorded.build.functions.count }
    // Modules and files are few compared to functions: each pair is examined once.
    var judged: [Place: (isWanted: Bool, origin: CodeOrigin?)] = [:]
    var seen = 0
    for index in families.indices {
      let (head, outline) = outline(of: families[index])
      let place = Place(module: outline.module, file: outline.file)
      let judgement =
        judged[place]
        ?? (
          request.isWanted(place.module, place.file),
          place.file.flatMap { request.ownCode?.origin(of: $0) }
        )
      judged[place] = judgement
      guard judgement.isWanted else { continue }
      var report = judge(index, head, outline)
      report.origin = judgement.origin
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

  /// The properties of a function that do not depend on calls, and the piece that represents the function.
  private func outline(of family: FunctionFamily) -> (head: Int, FunctionReport) {
    let head = head(of: family)
    let piece = family.pieces[head]
    let function = function(piece)
    let image = piece.build < 0 ? "" : imageNames[piece.build]
    var report = FunctionReport(
      identity: family.root, name: family.root, mangledName: function?.name ?? "",
      module: function.map { $0.module.isEmpty ? image : $0.module } ?? "",
      images: [], file: nil, line: 0, reason: .watched, watchedRuns: 0, calledRuns: 0,
      firstSeen: 0, lastSeen: 0, bound: 1, bytes: 0, pieces: family.pieces, head: nil)
    if function == nil { report.mangledName = family.root }
    if let function, let file = function.file, file != "<compiler-generated>" {
      report.file = request.map(file)
      report.line = function.line
    } else if let counted = family.pieces.first(where: \.isCounted).flatMap(self.function) {
      // Debug information has no place for some functions, such as @_transparent ones; counters have.
      report.file = counted.file.map(request.map)
      report.line = counted.line
    }
    if !family.isSwift {
      // C names that are local, or `main`, need the file for their identity.
      if function?.isLocal == true || family.root == "main", let file = report.file {
        let number = family.overload > 0 ? "#\(family.overload + 1)" : ""
        report.identity = "\(family.root)\(number) \(file)"
      }
    }
    if case .guarded = piece.place { report.head = head }
    return (head, report)
  }

  private mutating func judge(_ index: Int, _ head: Int, _ outline: FunctionReport)
    -> FunctionReport
  {
    let family = families[index]
    let piece = family.pieces[head]
    var report = outline
    report.images = images(of: family)
    report.bytes = bytes(of: family)
    count(family, into: &report)
    report.reason = reason(index, family, report)
    // Only functions of the source have counters.
    if family.isSwift, report.verdict != .compilerGenerated, !Self.isCounted(family),
      FunctionIdentity(name: piece.name, entity: family.root).isOftenImplicit,
      isPlacedByItself(family, piece),
      request.isImplicit(report)
    {
      report.reason = .implicitMember
    }
    report.owners = report.file.map(request.owners) ?? []
    if report.verdict != .compilerGenerated {
      report.keepReason = request.keepReason(report)
      if report.keepReason != nil, report.verdict == .neverCalled { report.reason = .kept }
    }
    return report
  }

  func function(_ piece: FunctionReport.Piece) -> Function? {
    guard piece.build >= 0 else { return nil }
    let build = profile.builds[piece.build].build
    switch piece.place {
    case .guarded(let index): return build.functions[index]
    case .unguarded(let index): return build.unguarded[index]
    case .inlined(let index):
      let copy = build.inlined[index]
      return Function(
        address: nil, size: 0, name: copy.name, demangledName: copy.demangledName,
        module: copy.module, file: copy.file, line: copy.line, isCompilerGenerated: false,
        isLocal: false)
    case .counted(let index):
      return Function(profile.builds[piece.build].counters.functions[index])
    case .dropped: return nil
    }
  }
}
