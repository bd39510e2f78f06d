import FirstlightModel

/// Functions that compilers and linkers merged, because their code is the same: their names share an address.
///
/// A call of the address may be a call of any of these functions. A copy of one may be a copy of another: gcc merges
/// functions before it inlines them.
struct SharedCode {
  /// By family, if some of the shared code ran or may have run.
  private(set) var uses: [Int: FunctionEvidence.OtherCode] = [:]

  init(_ families: [FunctionFamily], in collector: EvidenceCollector) {
    let builds = collector.profile.builds.map(\.build.guarded)
    // By build and name: the families of the names that share an address.
    var named = builds.map { functions in
      var names: [TextBytes: Set<Int>] = [:]
      for function in functions where !function.aliases.isEmpty {
        for name in Self.names(function) { names[name] = [] }
      }
      return names
    }
    guard named.contains(where: { !$0.isEmpty }) else { return }
    for (family, pieces) in families.lazy.map(\.pieces).enumerated() {
      for piece in pieces {
        guard let build = piece.build, !named[build].isEmpty else { continue }
        named[build][CloneSuffix.base(of: piece.name)]?.insert(family)
      }
    }
    for (build, functions) in builds.enumerated() where !named[build].isEmpty {
      add(build, functions, named[build], families, in: collector)
    }
  }

  private mutating func add(
    _ build: Int, _ functions: ArraySlice<Function>, _ named: [TextBytes: Set<Int>],
    _ families: [FunctionFamily], in collector: EvidenceCollector
  ) {
    for (index, function) in functions.enumerated() where !function.aliases.isEmpty {
      let sharing = Self.names(function).reduce(into: Set<Int>()) { $0.formUnion(named[$1] ?? []) }
      guard sharing.count > 1 else { continue }
      let pieces = sharing.flatMap { families[$0].pieces }.filter {
        $0.build == build && ($0.isCopied || $0.index == index)
      }
      guard
        let use = collector.use(of: pieces)
          ?? (collector.isUnwatched(pieces) ? .unwatched : nil)
      else { continue }
      for family in sharing where uses[family] != .called { uses[family] = use }
    }
  }

  private static func names(_ function: Function) -> Set<TextBytes> {
    Set(texts: ([function.name] + function.aliases).map(CloneSuffix.base))
  }
}
