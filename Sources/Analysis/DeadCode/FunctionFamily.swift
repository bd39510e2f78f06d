import FirstlightModel

/// A function of the source with its pieces, before its verdict.
struct FunctionFamily {
  var root: String
  var isSwift: Bool
  var pieces: [FunctionReport.Piece] = []
}

extension FunctionFamily {
  /// By its root; one that consists of default arguments only is named after these.
  var named: FunctionFamily {
    guard isSwift, !pieces.isEmpty, pieces.allSatisfy({ $0.kind == .defaultArgument }) else {
      return self
    }
    var result = self
    result.root = DefaultArgument.name(of: root, generators: pieces.lazy.map(\.name))
    return result
  }
}

/// Gathers the functions of all builds by the function of the source that they belong to: by name,
/// and for names that are local to a file or to one language's namespace by file too.
struct FunctionFamilies {
  private let profile: Profile
  private let map: (String) -> String
  private let imageNames: [String]
  private(set) var families: [FunctionFamily] = []
  private var indices: [Key: Int] = [:]
  /// Numbers of the texts that say whose a name is: images and source files, as they are called now.
  private var owners: [String: Int32] = [:]
  /// What names say, and where that leads: the same names come again in each build.
  private var known: [String: (family: Int, piece: PieceKind?, made: Bool)] = [:]
  /// Addressors of globals, whose names lack the word `static`.
  private var addressors: [(root: String, name: String, piece: FunctionReport.Piece)] = []
  /// One-time initializers of globals, whose names lack their variable's type.
  private var initializers: [(name: String, demangled: String, piece: FunctionReport.Piece)] = []
  /// Lines of C++ templates: their order distinguishes overloads, whatever moved.
  private var templateLines: [Template: [Int]] = [:]

  /// What functions of one family have in common.
  private struct Key: Hashable {
    var name: String
    /// In `owners`, where others may have functions of that name; -1 where the name stands for itself.
    var owner: Int32 = -1
    /// Of a C++ template its place among those of its name; else -1.
    var overload = -1
  }

  private struct Template: Hashable {
    var name: String
    var file: Int32
    var build: Int
  }

  /// - Parameter map: what to make of a recorded source path.
  init(_ profile: Profile, map: @escaping (String) -> String) {
    self.profile = profile
    self.map = map
    imageNames = profile.builds.map(\.build.name)
    let count = profile.builds.reduce(0) {
      $0 + $1.build.functions.count + $1.build.unguarded.count + $1.build.inlined.count
    }
    indices.reserveCapacity(count)
    families.reserveCapacity(count)
    for build in profile.builds.indices { addTemplates(of: build) }
    for build in profile.builds.indices { add(build) }
    addAddressors()
    addInitializers()
  }

  private mutating func add(_ index: Int) {
    let build = profile.builds[index].build
    for (at, function) in build.functions.enumerated() {
      add(function, FunctionReport.Piece.Place.guarded(at), index)
    }
    for (at, function) in build.unguarded.enumerated() { add(function, .unguarded(at), index) }
    for (at, copy) in build.inlined.enumerated() {
      add(
        Function(
          address: nil, size: 0, name: copy.name, demangledName: copy.demangledName,
          module: copy.module, file: copy.file, line: copy.line, isCompilerGenerated: false,
          isLocal: false), .inlined(at), index)
    }
  }

  /// Adds a function that the linker dropped.
  mutating func addDropped(name: String, demangled: String) {
    // Without a file, only names that stand for themselves can be matched.
    let function = Function(
      address: nil, size: 0, name: name, demangledName: demangled, module: "", file: nil, line: 0,
      isCompilerGenerated: false, isLocal: false)
    add(function, .dropped, -1)
  }

  private mutating func add(
    _ function: Function, _ place: FunctionReport.Piece.Place, _ build: Int
  ) {
    let isSwift = EntityName.isSwift(function.name)
    if isSwift, let found = known[function.name] {
      families[found.family].pieces.append(
        .init(
          build: build, place: place, kind: found.piece,
          isCompilerGenerated: found.made || function.isCompilerGenerated, name: function.name))
      return
    }
    let entity = EntityName(name: function.name, demangled: function.demangledName)
    let piece = FunctionReport.Piece(
      build: build, place: place, kind: entity.piece,
      isCompilerGenerated: function.isCompilerGenerated || entity.isCompilerGenerated
        || Self.isForeign(function, isSwift: isSwift)
        || isWithoutSource(function, place, build, isSwift: isSwift), name: function.name)
    if isSwift,
      function.demangledName.begins(with: "one-time initialization function for ")
    {
      initializers.append((function.name, function.demangledName, piece))
      return
    }
    if isSwift, entity.piece == .accessor, function.name.hasSuffix("au") {
      addressors.append((entity.root, function.name, piece))
      return
    }
    let key = key(entity.root, function, isSwift, build)
    let family = family(key, root: entity.root, isSwift: isSwift)
    families[family].pieces.append(piece)
    if isSwift, !isTopLevel(entity.root) {
      known[function.name] = (
        family, entity.piece, piece.isCompilerGenerated && !function.isCompilerGenerated
      )
    }
  }

  private mutating func family(_ key: Key, root: String, isSwift: Bool) -> Int {
    if let known = indices[key] { return known }
    indices[key] = families.count
    families.append(FunctionFamily(root: root, isSwift: isSwift))
    return families.count - 1
  }

  private mutating func key(
    _ root: String, _ function: Function, _ isSwift: Bool, _ build: Int
  ) -> Key {
    if isSwift, !isTopLevel(root) { return Key(name: root) }
    // A closure of top-level code belongs to its file's `main`.
    let name = isSwift ? "main" : root
    guard let file = function.file, file != "<compiler-generated>" else {
      return Key(name: name, owner: owner(build < 0 ? "" : imageNames[build]))
    }
    let place = owner(map(file))
    if function.line > 0, !function.name.begins(with: "_R"),
      let template = CEntityName.template(root)
    {
      let lines = templateLines[Template(name: template, file: place, build: build)] ?? []
      return Key(
        name: template, owner: place, overload: lines.firstIndex(of: function.line) ?? 0)
    }
    return Key(name: name, owner: place)
  }

  private mutating func owner(_ text: String) -> Int32 {
    if let known = owners[text] { return known }
    let number = Int32(owners.count)
    owners[text] = number
    return number
  }

  /// Closures of top-level code name only their module.
  private func isTopLevel(_ root: String) -> Bool { !root.utf8.contains(UInt8(ascii: ".")) }

  private mutating func addTemplates(of index: Int) {
    let build = profile.builds[index].build
    for functions in [build.functions, build.unguarded] {
      for function in functions where function.line > 0 && function.name.begins(with: "_Z") {
        guard let file = function.file else { continue }
        let root = EntityName(name: function.name, demangled: function.demangledName).root
        guard let base = CEntityName.template(root) else { continue }
        let key = Template(name: base, file: owner(map(file)), build: index)
        if templateLines[key]?.contains(function.line) != true {
          templateLines[key, default: []].append(function.line)
          templateLines[key]?.sort()
        }
      }
    }
  }

  /// Whether it was not written in this program: code from the toolchain's and the system's libraries, macro
  /// expansions, and code that SwiftPM generates (test runners, accessors of resources).
  private static func isForeign(_ function: Function, isSwift: Bool) -> Bool {
    if isSwift, ToolchainModules.names.contains(function.module) { return true }
    guard let file = function.file else { return false }
    return file.containsUTF8("@__swiftmacro_") || file.containsUTF8(".derived/")
      || SystemHeaders.hold(file)
  }

  /// Whether a function that breakpoints watched is of no source file that debug information knows: of
  /// start files, of libraries that are linked in, made by the compiler. Guards are in what is compiled for
  /// recording; breakpoints are on all that has a symbol.
  private func isWithoutSource(
    _ function: Function, _ place: FunctionReport.Piece.Place, _ build: Int, isSwift: Bool
  ) -> Bool {
    guard build >= 0, !isSwift, function.file == nil, case .guarded = place else { return false }
    let build = profile.builds[build].build
    return build.recorder == .breakpoints && build.hasDebugInfo
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

  /// Puts the initializers of globals to their variables: `$s1M1x_WZ` to `$s1M1xSivau`, whose name
  /// goes on with the type.
  private mutating func addInitializers() {
    guard !initializers.isEmpty else { return }
    var accessors: [(name: String, family: Int)] = []
    for (name, found) in known where found.piece == .accessor {
      accessors.append((name, found.family))
    }
    accessors.sort { $0.name < $1.name }
    for (name, demangled, piece) in initializers {
      let stem = name.hasSuffix("_WZ") ? String(name.dropLast(3)) : name
      let variable = demangled.dropFirst("one-time initialization function for ".count)
      var next = accessors.partitioningIndex { $0.name >= stem }
      var piece = piece
      piece.kind = .initialValue
      while next < accessors.count, accessors[next].name.hasPrefix(stem) {
        let family = accessors[next].family
        if families[family].root.contains(variable) {
          families[family].pieces.append(piece)
          break
        }
        next += 1
      }
      if next >= accessors.count || !accessors[next].name.hasPrefix(stem) {
        let family = family(Key(name: stem), root: String(variable), isSwift: true)
        families[family].pieces.append(piece)
      }
    }
    initializers = []
  }
}
