import FirstlightModel

/// Groups the functions of all builds by the key of the source function that they belong to.
struct FunctionFamilies {
  private let profile: Profile
  private(set) var families: [FunctionFamily] = []
  private var indices: [FunctionFamily.Key: Int] = [:]
  private var keys: FunctionKeys
  /// The names of addressors lack the word `static`.
  private var addressors: [(identity: FunctionIdentity, piece: FunctionReport.Piece)] = []
  /// The names of one-time initializers lack the type of their variable.
  private var initializers: [(identity: FunctionIdentity, piece: FunctionReport.Piece)] = []

  /// - Parameters:
  ///   - dropped: functions that the linker dropped.
  ///   - map: maps a recorded source path to the current one.
  init(
    _ profile: Profile, dropped: [(name: String, demangled: String)],
    map: @escaping (String) -> String
  ) {
    self.profile = profile
    keys = FunctionKeys(profile, map: map)
    let count = profile.builds.reduce(0) { $0 + $1.build.functions.count }
    indices.reserveCapacity(count)
    families.reserveCapacity(count)
    for isCounted in [false, true] {
      for (build, recorded) in profile.builds.enumerated() {
        for (index, function) in recorded.build.functions.enumerated()
        where function.isCounted == isCounted { add(function, index, build) }
      }
    }
    for (name, demangled) in dropped {
      // Without a file, only names that are unique in the program can be matched.
      let function = Function(
        code: .dropped, name: name, demangledName: demangled, module: "", file: nil, line: 0)
      add(function, -1, nil)
    }
    shareOrigins()
    addVariables()
  }

  private mutating func add(_ function: Function, _ index: Int, _ build: Int?) {
    let identity = function.identity
    let source = build.map { keys.source(of: function, in: $0) } ?? function
    let piece = FunctionReport.Piece(
      build: build, index: index, code: function.code, kind: identity.piece,
      isCompilerGenerated: function.isCompilerGenerated || identity.isCompilerGenerated
        || Self.isForeign(function.isCounted ? source : function)
        || isWithoutSource(function, build),
      name: function.name)
    if identity.initializedVariable != nil {
      initializers.append((identity, piece))
    } else if identity.piece == .accessor, SwiftSymbol(function.name)?.isAddressor == true {
      addressors.append((identity, piece))
    } else {
      append(
        piece, to: keys.key(of: source, in: build), root: source.identity.entity,
        isSwift: identity.language == .swift)
    }
  }

  private mutating func append(
    _ piece: FunctionReport.Piece, to key: FunctionFamily.Key, root: String, isSwift: Bool = true
  ) {
    let known = indices[key]
    if known == nil {
      indices[key] = families.count
      families.append(FunctionFamily(root: root, overload: key.overload, isSwift: isSwift))
    }
    families[known ?? families.count - 1].pieces.append(piece)
  }

  /// Adds addressors and one-time initializers to the families of their variables, which all builds together show:
  /// `$s1M1x_WZ` to `$s1M1xSivau`, where the type follows the variable's name.
  private mutating func addVariables() {
    for (identity, piece) in addressors {
      let statics = FunctionFamily.Key(name: "static " + identity.key)
      let key = indices[statics] == nil ? FunctionFamily.Key(name: identity.key) : statics
      append(piece, to: key, root: identity.entity)
    }
    guard !initializers.isEmpty else { return }
    var accessors: [(name: String, family: Int)] = []
    for (index, family) in families.enumerated() where family.isSwift {
      for piece in family.pieces where piece.kind == .accessor {
        accessors.append((piece.name, index))
      }
    }
    accessors.sort { $0.name.precedesInBytes($1.name) }
    for (identity, piece) in initializers {
      let variable = identity.initializedVariable ?? identity.entity
      var piece = piece
      piece.kind = .initialValue
      let first = accessors.partitioningIndex { !$0.name.precedesInBytes(identity.key) }
      let own = accessors[first...].prefix { $0.name.begins(with: identity.key) }
        .first { families[$0.family].root.containsUTF8(variable) }
      if let own {
        families[own.family].pieces.append(piece)
      } else {
        append(piece, to: FunctionFamily.Key(name: identity.key), root: variable)
      }
    }
  }

  // MARK: Code from elsewhere

  /// Whether a function was not written in this program: code from libraries of the toolchain and the system,
  /// macro expansions, and code that SwiftPM generates (test runners, accessors of resources). The place decides
  /// if there is one: the name of an extension's member begins with the extended type's module.
  private static func isForeign(_ function: Function) -> Bool {
    guard let file = function.file, file != "<compiler-generated>" else {
      return function.name.isSwiftSymbol && ToolchainModules.names.contains(function.module)
    }
    return file.containsUTF8("@__swiftmacro_") || file.containsUTF8(".derived/")
      || SystemHeaders.hold(file)
  }

  /// Whether a function of a breakpoint build has no source file in debug information: it is from start files
  /// or linked libraries, or compiler-generated. Guards are only in code that is compiled for recording;
  /// breakpoints are on all functions with a symbol.
  private func isWithoutSource(_ function: Function, _ build: Int?) -> Bool {
    guard let build, function.file == nil, function.isGuarded, !function.name.isSwiftSymbol else {
      return false
    }
    let recorded = profile.builds[build].build
    return recorded.recorder == .breakpoints && recorded.hasDebugInfo
  }

  /// Lets the first of the records that have one Swift name decide for all whether they are foreign code: binaries come
  /// before counters, and some records have no place.
  private mutating func shareOrigins() {
    for family in families.indices
    where families[family].isSwift && families[family].pieces.count > 1 {
      let pieces = families[family].pieces
      var firsts: [TextBytes: Int] = [:]
      for (index, piece) in pieces.enumerated() {
        guard let first = firsts[piece.name] else {
          firsts[piece.name] = index
          continue
        }
        families[family].pieces[index].isCompilerGenerated =
          isMarked(piece) || pieces[first].isCompilerGenerated && !isMarked(pieces[first])
      }
    }
  }

  /// Whether debug information marks a piece as compiler-generated.
  private func isMarked(_ piece: FunctionReport.Piece) -> Bool {
    profile.function(of: piece)?.isCompilerGenerated == true
  }
}
