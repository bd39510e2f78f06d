import FirstlightModel

/// What functions share with the others of their source function, from all builds: names that do not identify it alone
/// need a file, a place among namesakes, or an image; and code may have several names.
struct FunctionKeys {
  private let profile: Profile
  private let map: (String) -> String
  private let counted: CountedPlaces
  private var namesakes: Namesakes
  /// By build: names of functions that have several, as aliases or because compilers or linkers merged functions, each
  /// with the function's index.
  private var merged: [[TextBytes: Int]] = []
  /// By build and index of such a function: the number of its names that have counters.
  private var counters: [[Int: Int]] = []

  init(_ profile: Profile, map: @escaping (String) -> String) {
    self.profile = profile
    self.map = map
    counted = CountedPlaces(profile, map: map)
    namesakes = Namesakes(profile, counted, map: map)
    for build in profile.builds.lazy.map(\.build) {
      var names: [TextBytes: Int] = [:]
      for (index, function) in build.guarded.enumerated() where !function.aliases.isEmpty {
        for name in [function.name] + function.aliases where !name.isSwiftSymbol {
          names[name] = index
        }
      }
      var counts: [Int: Int] = [:]
      for function in build.functions where function.isCounted && !names.isEmpty {
        if let whole = names[function.name] { counts[whole, default: 0] += 1 }
      }
      merged.append(names)
      counters.append(counts)
    }
  }

  /// The function whose names and place show the source function: itself at its place in debug information, or the
  /// same code under another name.
  func source(of function: Function, in build: Int) -> Function {
    if function.name.isSwiftSymbol { return function }
    let functions = profile.builds[build].build.functions
    if function.isCounted {
      let placed = counted.placed(function, of: build)
      // Code with several names is several functions that were merged, if these have counters; else they are aliases.
      guard let whole = merged[build][function.name], counters[build][whole] == 1,
        functions[whole].file.map(map) == placed.file
      else { return placed }
      return functions[whole]
    }
    // A cold part keeps the alias in its name.
    guard function.identity.piece == .coldPart,
      let whole = merged[build][CloneSuffix.base(of: function.name)]
    else { return function }
    return functions[whole]
  }

  mutating func key(of source: Function, in build: Int?) -> FunctionFamily.Key {
    let identity = source.identity
    if identity.isKeyUnique { return FunctionFamily.Key(name: identity.key) }
    guard let file = source.file, file != "<compiler-generated>" else {
      let image = build.map { profile.builds[$0].build.name } ?? ""
      // Without lines, only types distinguish the functions of several templates of one name.
      return FunctionFamily.Key(
        name: identity.language == .swift ? identity.key : identity.entity,
        owner: namesakes.number(image))
    }
    let place = namesakes.place(of: identity.key, file: file, line: source.line, in: build)
    return FunctionFamily.Key(name: identity.key, owner: place.file, overload: place.overload)
  }
}
