import FirstlightModel

/// What a report says of a function beside its verdict.
extension EvidenceCollector {
  /// The properties of a function that do not depend on calls, and the piece that represents the function.
  func outline(of family: FunctionFamily) -> (head: Int, FunctionReport) {
    let head = head(of: family)
    let piece = family.pieces[head]
    let function = function(piece)
    let image = piece.build.map { facts[$0].image } ?? ""
    let name = function?.name ?? family.root
    var report = FunctionReport(
      identity: family.root, name: family.root,
      short: ShortName(name: name, entity: family.root), mangledName: name,
      module: function.map { $0.module.isEmpty ? image : $0.module } ?? "",
      images: [], file: nil, line: 0, reason: .watched, watchedRuns: 0, calledRuns: 0,
      firstSeen: 0, lastSeen: 0, bound: 1, bytes: 0, pieces: family.pieces, head: nil)
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
      if function?.isLocal == true && !piece.isCounted || family.root == "main",
        let file = report.file
      {
        let number = family.overload > 0 ? "#\(family.overload + 1)" : ""
        report.identity = "\(family.root)\(number) \(file)"
      }
    }
    if piece.isGuarded { report.head = head }
    return (head, report)
  }

  /// The piece that represents the function. Guarded pieces come before others, the function itself before its
  /// pieces, and newer builds before older ones.
  private func head(of family: FunctionFamily) -> Int {
    func weight(_ piece: FunctionReport.Piece) -> (Int, Int, Int, Int) {
      let place =
        switch piece.code {
        case .guarded: 0
        case .unguarded: 1
        case .copies: 2
        case .counted: 3
        case .dropped: 4
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
        place, piece.isCompilerGenerated ? 1 : 0, kind, piece.build.map { -facts[$0].rank } ?? 0
      )
    }
    guard family.pieces.count > 1 else { return 0 }
    var best = 0
    var bestWeight = weight(family.pieces[0])
    for index in family.pieces.indices.dropFirst() {
      let other = weight(family.pieces[index])
      if other < bestWeight { (best, bestWeight) = (index, other) }
    }
    return best
  }

  func images(of family: FunctionFamily) -> [String] {
    if family.pieces.count == 1, let piece = family.pieces.first {
      return piece.build.map { facts[$0].images } ?? []
    }
    return Set(family.pieces.lazy.compactMap(\.build).map { facts[$0].image }).sorted()
  }

  /// The bytes of a function, in the image that has most of them.
  func bytes(of family: FunctionFamily) -> UInt64 {
    if family.pieces.count == 1 {
      guard let function = function(family.pieces[0]), function.address != nil else { return 0 }
      return min(function.size, Self.mostBytes)
    }
    var newest: [TextBytes: Int] = [:]
    for build in family.pieces.lazy.compactMap(\.build) {
      let name = facts[build].image
      if newest[name].map({ facts[$0].rank < facts[build].rank }) ?? true { newest[name] = build }
    }
    var sums: [Int: UInt64] = [:]
    // Identical functions that the linker merged share their bytes.
    var counted: Set<UInt64> = []
    for piece in family.pieces {
      switch piece.code {
      case .copies, .counted: continue
      case .guarded, .unguarded, .dropped: break
      }
      guard let build = piece.build, newest[facts[build].image] == build,
        let function = function(piece), let address = function.address
      else { continue }
      if counted.insert(UInt64(build) << 48 ^ address).inserted {
        sums[build, default: 0] += min(function.size, Self.mostBytes)
      }
    }
    return sums.values.max() ?? 0
  }

  /// More bytes than any function has. A damaged file may claim any size, and sums of millions must not overflow.
  private static var mostBytes: UInt64 { 1 << 36 }
}
