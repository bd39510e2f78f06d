import FirstlightModel

/// Groups the functions of all builds by the source function that they belong to. They match by name, and by
/// file or image too if the name is local to one.
struct FunctionFamilies {
  private let profile: Profile
  private let map: (String) -> String
  private let imageNames: [String]
  private(set) var families: [FunctionFamily] = []
  private var indices: [Key: Int] = [:]
  private let counted: CountedPlaces
  private var namesakes: Namesakes
  /// Results by Swift linker name, because builds repeat names.
  private var known: [TextBytes: (family: Int, piece: PieceKind?, made: Bool)] = [:]
  /// Addressors of globals, whose names lack the word `static`.
  private var addressors: [(root: String, name: String, piece: FunctionReport.Piece)] = []
  /// One-time initializers of globals, whose names lack their variable's type.
  private var initializers: [(name: String, demangled: String, piece: FunctionReport.Piece)] = []
  /// By build: names of functions that have several, as aliases or because compilers or linkers merged functions, each
  /// with the function's index. A cold part keeps the alias in its name.
  private var merged: [[TextBytes: Int]] = []

  /// The properties that functions of one family share.
  private struct Key: Hashable {
    @TextBytes var name: String
    /// The number of its file or image; nil if the name is unique in the program.
    var owner: Int32?
    var overload = 0
  }

  /// - Parameter map: maps a recorded source path to the current one.
  init(_ profile: Profile, map: @escaping (String) -> String) {
    self.profile = profile
    self.map = map
    counted = CountedPlaces(profile, map: map)
    namesakes = Namesakes(profile, counted, map: map)
    imageNames = profile.builds.map(\.build.name)
    let count = profile.builds.reduce(0) { $0 + $1.build.functions.count }
    indices.reserveCapacity(count)
    families.reserveCapacity(count)
    for recorded in profile.builds {
      var names: [TextBytes: Int] = [:]
      for (index, function) in recorded.build.guarded.enumerated() {
        guard !function.aliases.isEmpty else { continue }
        for name in [function.name] + function.aliases where !name.isSwiftSymbol {
          names[name] = index
        }
      }
      merged.append(names)
    }
    for build in profile.builds.indices { add(build) }
    addCounters()
    addAddressors()
    addInitializers()
  }

  private mutating func add(_ index: Int) {
    for (at, function) in profile.builds[index].build.functions.enumerated()
    where !function.isCounted { add(function, at, index) }
  }

  /// Adds the counters of all builds. A Swift name identifies its function; other names need the place from a binary.
  private mutating func addCounters() {
    for (build, recorded) in profile.builds.enumerated() {
      let functions = recorded.build.functions
      var counts: [Int: Int] = [:]
      for function in functions where function.isCounted && !function.name.isSwiftSymbol {
        if let whole = merged[build][function.name] { counts[whole, default: 0] += 1 }
      }
      for (at, function) in functions.enumerated() where function.isCounted {
        if function.name.isSwiftSymbol {
          add(function, at, build)
          continue
        }
        // Code with several names is several functions that were merged, if these have counters; else they are aliases.
        let placed = counted.placed(function, of: build)
        let whole = merged[build][function.name].flatMap { counts[$0] == 1 ? functions[$0] : nil }
        add(placed, at, build, as: whole?.file.map(map) == placed.file ? whole : nil)
      }
    }
  }

  /// Adds a function that the linker dropped.
  mutating func addDropped(name: String, demangled: String) {
    // Without a file, only names that are unique in the program can be matched.
    let function = Function(
      code: .dropped, name: name, demangledName: demangled, module: "", file: nil, line: 0)
    add(function, -1, nil)
  }

  /// - Parameter whole: the same function under another name.
  private mutating func add(
    _ function: Function, _ index: Int, _ build: Int?, as whole: Function? = nil
  ) {
    let isSwift = function.name.isSwiftSymbol
    if isSwift, let found = known[function.name] {
      families[found.family].pieces.append(
        .init(
          build: build, index: index, code: function.code, kind: found.piece,
          isCompilerGenerated: found.made || function.isCompilerGenerated, name: function.name))
      return
    }
    let identity = function.identity
    let piece = FunctionReport.Piece(
      build: build, index: index, code: function.code, kind: identity.piece,
      isCompilerGenerated: function.isCompilerGenerated || identity.isCompilerGenerated
        || Self.isForeign(function, isSwift: isSwift)
        || isWithoutSource(function, build, isSwift: isSwift), name: function.name)
    if isSwift,
      function.demangledName.begins(with: "one-time initialization function for ")
    {
      initializers.append((function.name, function.demangledName, piece))
      return
    }
    if isSwift, identity.piece == .accessor, function.name.ends(with: "au") {
      addressors.append((identity.entity, function.name, piece))
      return
    }
    var (named, root) = (whole ?? function, whole?.identity.entity ?? identity.entity)
    if identity.piece == .coldPart, let build,
      let whole = merged[build][CloneSuffix.base(of: function.name)]
    {
      named = profile.builds[build].build.functions[whole]
      root = named.identity.entity
    }
    let key = key(root, named, isSwift, build)
    let family = family(key, root: root, isSwift: isSwift)
    families[family].pieces.append(piece)
    if isSwift, !isTopLevel(identity.entity) {
      known[function.name] = (
        family, identity.piece, piece.isCompilerGenerated && !function.isCompilerGenerated
      )
    }
  }

  private mutating func family(_ key: Key, root: String, isSwift: Bool) -> Int {
    if let known = indices[key] { return known }
    indices[key] = families.count
    families.append(FunctionFamily(root: root, overload: key.overload, isSwift: isSwift))
    return families.count - 1
  }

  private mutating func key(
    _ root: String, _ function: Function, _ isSwift: Bool, _ build: Int?
  ) -> Key {
    if isSwift, !isTopLevel(root) { return Key(name: root) }
    // A closure of top-level code belongs to its file's `main`.
    let name = isSwift ? "main" : root
    guard let file = function.file, file != "<compiler-generated>" else {
      return Key(name: name, owner: namesakes.number(build.map { imageNames[$0] } ?? ""))
    }
    let place = namesakes.place(
      of: FunctionIdentity(name: isSwift ? name : function.name, entity: name), file: file,
      line: function.line, in: build)
    return Key(name: place.name, owner: place.file, overload: place.overload)
  }

  /// Closures of top-level code name only their module.
  private func isTopLevel(_ root: String) -> Bool { !root.utf8.contains(UInt8(ascii: ".")) }

  /// Whether a function was not written in this program: code from libraries of the toolchain and the system,
  /// macro expansions, and code that SwiftPM generates (test runners, accessors of resources). The place decides
  /// if there is one: the name of an extension's member begins with the extended type's module.
  private static func isForeign(_ function: Function, isSwift: Bool) -> Bool {
    guard let file = function.file, file != "<compiler-generated>" else {
      return isSwift && ToolchainModules.names.contains(function.module)
    }
    return file.containsUTF8("@__swiftmacro_") || file.containsUTF8(".derived/")
      || SystemHeaders.hold(file)
  }

  /// Whether a function of a breakpoint build has no source file in debug information: it is from start files
  /// or linked libraries, or compiler-generated. Guards are only in code that is compiled for recording;
  /// breakpoints are on all functions with a symbol.
  private func isWithoutSource(
    _ function: Function, _ build: Int?, isSwift: Bool
  ) -> Bool {
    guard let build, !isSwift, function.file == nil, function.isGuarded else { return false }
    let recorded = profile.builds[build].build
    return recorded.recorder == .breakpoints && recorded.hasDebugInfo
  }

  private mutating func addAddressors() {
    for (root, name, piece) in addressors {
      let family =
        indices[Key(name: "static " + root)] ?? family(Key(name: root), root: root, isSwift: true)
      families[family].pieces.append(piece)
      known[name] = (family, .accessor, false)
    }
    addressors = []
  }

  /// Adds the initializers of globals to the families of their variables: `$s1M1x_WZ` to `$s1M1xSivau`, where
  /// the type follows the variable's name.
  private mutating func addInitializers() {
    guard !initializers.isEmpty else { return }
    var accessors: [(name: String, family: Int)] = []
    for (name, found) in known where found.piece == .accessor {
      accessors.append((name.text, found.family))
    }
    accessors.sort { $0.name.precedesInBytes($1.name) }
    for (name, demangled, piece) in initializers {
      let stem = SwiftSymbol(name)?.initializedVariable ?? name
      let variable =
        demangled.removing(prefix: "one-time initialization function for ") ?? demangled[...]
      var next = accessors.partitioningIndex { !$0.name.precedesInBytes(stem) }
      var piece = piece
      piece.kind = .initialValue
      while next < accessors.count, accessors[next].name.begins(with: stem) {
        let family = accessors[next].family
        if families[family].root.containsUTF8(variable) {
          families[family].pieces.append(piece)
          break
        }
        next += 1
      }
      if next >= accessors.count || !accessors[next].name.begins(with: stem) {
        let family = family(Key(name: stem), root: String(variable), isSwift: true)
        families[family].pieces.append(piece)
      }
    }
    initializers = []
  }
}
