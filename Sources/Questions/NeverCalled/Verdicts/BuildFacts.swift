import FirstlightModel

/// What the evidence on functions needs to know of one build.
struct BuildFacts {
  let image: String
  /// The image's name alone, in a list that the functions of one image share.
  let images: [String]
  /// Its place among the builds, by image and then from the oldest to the newest.
  var rank = 0
  /// Whether a newer build of its image ran.
  var isReplaced = false
  /// Files with functions that its compiler counted.
  let countedFiles: Set<TextBytes>
  /// Swift modules with functions that the compiler counted.
  let countedModules: Set<TextBytes>
  /// Whether it was counted, but not in all objects.
  let hasUncountedObjects: Bool
  /// By function: its family.
  private(set) var families: [Int?]
  /// Functions that are cold parts of functions that some run called.
  private(set) var coldPartsOfCalled: Set<Int> = []

  private init(_ recorded: RecordedBuild) {
    image = recorded.build.name
    images = [image]
    let counted = recorded.build.functions.filter(\.isCounted)
    let files = Set(texts: counted.lazy.compactMap(\.file))
    countedFiles = files
    countedModules = Set(texts: counted.lazy.map(\.module)).subtracting([""])
    // Guards show which code of a counted build was compiled with its flags.
    hasUncountedObjects =
      !files.isEmpty && recorded.build.guardCount > 0
      && recorded.build.functions.contains { function in
        guard function.isUnguarded, let file = function.file, !function.isCompilerGenerated else {
          return false
        }
        return !files.contains(file) && Self.isCompiledByItself(file)
      }
    families = Array(repeating: nil, count: recorded.build.guarded.count)
  }

  /// The facts on each build of a profile, in their order.
  static func of(_ profile: Profile, _ families: [FunctionFamily]) -> [BuildFacts] {
    var facts = profile.builds.map(BuildFacts.init)
    var newest: [TextBytes: Int] = [:]
    let order = Observation.order(of: profile)
    for (rank, build) in order.enumerated() {
      facts[build].rank = rank
      // A fleet may lack the names of a build, so it does not show which functions the newer build dropped.
      let isKnown = !profile.builds[build].build.guarded.isEmpty
      if isKnown, profile.builds[build].runs > 0 { newest[facts[build].image] = rank }
    }
    for build in facts.indices {
      facts[build].isReplaced = newest[facts[build].image].map { $0 > facts[build].rank } ?? false
    }
    for (number, family) in families.enumerated() {
      var isCalled = false
      for piece in family.pieces where piece.isGuarded {
        guard let build = piece.build else { continue }
        facts[build].families[piece.index] = number
        isCalled = isCalled || profile.builds[build].isCalled(function: piece.index)
      }
      guard isCalled else { continue }
      for piece in family.pieces where piece.kind == .coldPart && piece.isGuarded {
        guard let build = piece.build else { continue }
        facts[build].coldPartsOfCalled.insert(piece.index)
      }
    }
    return facts
  }

  /// Whether a source file is no header.
  static func isCompiledByItself(_ file: String) -> Bool {
    guard let dot = file.lastIndex(ofUTF8: ".") else { return false }
    return ["c", "cc", "cpp", "cxx", "C", "m", "mm", "swift", "rs"].contains(
      file[file.utf8.index(after: dot)...])
  }
}
