import FirstlightModel

extension DebugImage {
  /// Where a function is declared.
  struct Place {
    var file: String?
    var line = 0
    var isCompilerGenerated = false
    /// The name that debug information gives it, if no symbol does.
    var name: String?
  }

  /// For each entry address where its function is declared: by the function's own entry in the debug
  /// information; where it has none there, by the line table. Code that debug information covers without
  /// naming a line is the compiler's.
  func places(of addresses: [UInt64]) -> [Place] {
    guard hasDebugInfo else { return [Place](repeating: Place(), count: addresses.count) }
    let survey = survey
    return addresses.map { address in
      guard let offset = dwarf.offset(address), let place = survey.place(at: offset) else {
        return Place()
      }
      return Place(
        file: place.isCompilerGenerated
          ? NumberedPaths.compilerGenerated
          : place.path < 0 ? nil : survey.paths[Int(place.path)],
        line: Int(place.line), isCompilerGenerated: place.isCompilerGenerated,
        name: place.name < 0 ? nil : survey.names[Int(place.name)])
    }
  }

  /// The functions of `source` that were copied into others.
  func inlined(of build: Build, _ source: SourceScope) -> [InlinedFunction] {
    InlinedFunctions(survey, code: dwarf.code, probeGuards: probes.map(\.index))
      .functions(of: build, source)
  }

  /// The guards that are no entries (those of level `edge`), and where they are.
  private var probes: [(offset: UInt32, index: UInt32)] {
    pcTable.enumerated().compactMap { index, entry in
      entry.isFunctionEntry ? nil : dwarf.offset(entry.address).map { ($0, UInt32(index)) }
    }
  }

  /// A survey of all functions that symbols, guards or unwind tables know.
  func makeSurvey() -> CodeSurvey {
    var others = pcTable.lazy.filter(\.isFunctionEntry).map(\.address) + []
    if !hasLocalSymbols { others += functionEntries.addresses }
    // Of entries for the same offset the one with a symbol comes first.
    var keys = symbols.entries.compactMap { dwarf.offset($0.address).map { UInt64($0) << 1 } }
    keys += others.compactMap { dwarf.offset($0).map { UInt64($0) << 1 | 1 } }
    keys.sort()
    var starts: [SurveyBuilder.Start] = []
    starts.reserveCapacity(keys.count)
    for key in keys where starts.last.map({ UInt64($0.offset) != key >> 1 }) ?? true {
      starts.append(.init(offset: UInt32(key >> 1), hasSymbol: key & 1 == 0))
    }
    return SurveyBuilder(dwarf, starts: starts, probes: probes.map(\.offset)).survey()
  }
}

extension DebugImage {
  /// A symbol that the linker defines in builds whose compilers must not copy functions into their callers
  /// (`firstlight flags --no-inlining`): nothing else in a file shows that.
  private static let keptCalls: StaticString = "firstlight_keeps_calls"

  /// Whether calls were kept calls.
  var keepsCalls: Bool { defines(Self.keptCalls) }

  /// Whether the file has an absolute symbol of this name, as a linker's --defsym makes it (ELF, section
  /// "Symbol Table", SHN_ABS).
  package func defines(_ name: StaticString) -> Bool {
    for section in symbolSections.joined() {
      let names = section.nameBytes
      let symbols = section.symbolBytes
      for at in stride(from: 0, to: symbols.count - 23, by: 24) {
        let symbol = symbols.base + at
        guard symbol.loadUnaligned(fromByteOffset: 6, as: UInt16.self) == 0xfff1 else { continue }
        let offset = Int(symbol.loadUnaligned(as: UInt32.self))
        if let found = names.cString(offset), found.equals(name) { return true }
      }
    }
    return false
  }
}

extension DebugImage {
  /// Adds the functions that no guard covers: those of the source that have code and no guard, and those that
  /// were copied into others. Of a file without debug information nothing is known.
  func addUnwatched(to build: inout Build) {
    guard hasDebugInfo else { return }
    let source = SourceScope(build.functions)
    build.unguarded = unguarded(build, source)
    build.inlined = inlined(of: build, source)
    build.isOptimised = mayLackCalls
  }

  /// Whether an optimiser may have removed calls without leaving a record.
  ///
  /// With inlining off, Swift's compiler keeps all calls. Compilers of C inline none, yet still remove calls
  /// of functions that only return what they know, or do nothing. In a program of both, the functions of C
  /// are few, and Swift's count.
  private var mayLackCalls: Bool {
    let optimised = survey.optimised
    guard keepsCalls else { return !optimised.isEmpty }
    return optimised.contains(.other) && !survey.hasSwift
  }

  private func unguarded(_ build: Build, _ source: SourceScope) -> [Function] {
    let guarded = Set(build.functions.compactMap(\.address))
    var addresses: [UInt64] = []
    for entry in symbols.entries where entry.type != SymbolTable.Entry.indirect {
      if entry.address != addresses.last, !guarded.contains(entry.address) {
        addresses.append(entry.address)
      }
    }
    // Most of a static program's functions are of libraries without debug information.
    let places = self.places(of: addresses)
    let known = zip(addresses, places).filter { $1.file != nil && !$1.isCompilerGenerated }.map(\.0)
    return describe(known, unnamed: Self.unnamed).filter {
      source.contains(module: $0.module, isSwift: Demangler.isSwift($0.name), file: $0.file)
    }
  }
}

/// What is of the program's source, in contrast to libraries that only lend code to it.
struct SourceScope {
  private let modules: Set<String>

  init(_ functions: [Function]) {
    modules = Set(functions.lazy.map(\.module)).subtracting(ToolchainModules.names)
  }

  /// - Parameter file: where the function is declared; unknown for Swift's specialisations.
  func contains(module: String, isSwift: Bool, file: String?) -> Bool {
    isSwift ? contains(module: module) : file.map { contains(file: $0) } ?? false
  }

  /// Whether a Swift module is of the source.
  func contains(module: String) -> Bool { modules.contains(module) }

  /// Whether what is declared in a file, if not in Swift, is of the source.
  func contains(file: String) -> Bool {
    file != NumberedPaths.compilerGenerated && !file.hasPrefix("/usr/")
      && !Self.isOfRuntime(file: file) && !file.contains("/swift/usr/")
  }

  /// Whether a source file is of a runtime that is linked into instrumented programs: ours, or one of
  /// LLVM's for sanitizers and profiles.
  static func isOfRuntime(file: String) -> Bool {
    file.contains("/FirstlightRuntime/") || file.contains("/compiler-rt/lib/")
  }
}
