import FirstlightModel

extension DebugImage {
  /// The place of a function's declaration.
  struct Place {
    var file: String?
    var line = 0
    var isCompilerGenerated = false
    /// The name from debug information, unless the only symbol has it.
    var name: String?
  }

  /// The declaration of the function at each entry address: from its entry in the debug
  /// information, or else from the line table. Code that debug information covers without a line is
  /// compiler-generated.
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

  /// The source file of the function at an entry address; nil if it is unknown or compiler-generated.
  package func declaringFile(ofFunctionAt address: UInt64) -> String? {
    let place = places(of: [address])[0]
    return place.isCompilerGenerated ? nil : place.file
  }

  /// The functions of `source` that have inlined copies without a hook.
  func inlined(
    of build: Build, _ source: SourceScope, hooks: HookedCopies?
  ) -> [InlinedFunction] {
    InlinedFunctions(survey, code: dwarf.code, hooks: hooks)
      .functions(of: build, source)
  }

  /// A survey of all functions that have a symbol, a guard or an unwind table entry.
  func makeSurvey() -> CodeSurvey {
    var others = pcTable.lazy.filter(\.isFunctionEntry).map(\.address) + []
    if !hasLocalSymbols { others += functionEntries.addresses }
    // Of several entries with the same offset, one with a symbol sorts first.
    var keys = symbols.entries.compactMap { dwarf.offset($0.address).map { UInt64($0) << 1 } }
    keys += others.compactMap { dwarf.offset($0).map { UInt64($0) << 1 | 1 } }
    keys.sort()
    var starts: [SurveyBuilder.Start] = []
    starts.reserveCapacity(keys.count)
    for key in keys {
      if let last = starts.last, UInt64(last.offset) == key >> 1 {
        if key & 1 == 0 { starts[starts.count - 1].hasOneSymbol = false }
      } else {
        starts.append(.init(offset: UInt32(key >> 1), hasOneSymbol: key & 1 == 0))
      }
    }
    var survey = SurveyBuilder(dwarf, starts: starts).survey()
    nameByCode(&survey)
    return survey
  }

  /// Gives inlined C++ functions the linker's names. Debug information of gcc has only the source's name of a static
  /// function, without its namespace; the symbol of the function's own code has the whole.
  private func nameByCode(_ survey: inout CodeSurvey) {
    var numbers: [TextBytes: Int32] = [:]
    // Copies in other units have the same declaration; nil: several functions have it, as instances of a template.
    var resolved: [[Int32]: Int32?] = [:]
    for index in survey.origins.indices {
      let origin = survey.origins[index]
      guard origin.name >= 0, let code = origin.code,
        !survey.names[Int(origin.name)].begins(with: "_Z"),
        let symbol = symbols.indices(at: codeRange.lowerBound + UInt64(code)).last
      else { continue }
      let name = CloneSuffix.base(of: symbols.name(symbol))
      guard name.begins(with: "_Z") else { continue }
      if numbers.isEmpty {
        for (number, name) in survey.names.enumerated() { numbers[TextBytes(name)] = Int32(number) }
      }
      let number = numbers[name] ?? Int32(survey.names.count)
      if numbers[name] == nil {
        numbers[name] = number
        survey.names.append(name)
      }
      survey.origins[index].name = number
      guard let declaration = origin.declaration else { continue }
      let known = resolved[declaration, default: number]
      resolved[declaration] = known == number ? number : .some(nil)
    }
    guard !resolved.isEmpty else { return }
    for index in survey.origins.indices {
      guard let declaration = survey.origins[index].declaration else { continue }
      if let number = resolved[declaration] ?? nil { survey.origins[index].name = number }
    }
  }
}

extension DebugImage {
  /// A symbol that the linker defines in builds without inlining (`firstlight flags
  /// --no-inlining`): nothing else in a file shows this option.
  private static let keptCalls: StaticString = "firstlight_keeps_calls"

  /// Whether the build has no inlining.
  var keepsCalls: Bool { defines(Self.keptCalls) }

  /// Whether the file has an absolute symbol of this name, as the linker option --defsym makes
  /// (ELF, section "Symbol Table", SHN_ABS).
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
  /// Adds the functions that no guard covers: source functions with code but without guard, and
  /// inlined functions. Without debug information, none are known.
  ///
  /// - Parameter hooks: which inlined copies are recorded; nil with guards and breakpoints, where none is.
  func addUnwatched(to build: inout Build, hooks: HookedCopies? = nil) {
    guard hasDebugInfo else { return }
    let source = SourceScope(build.functions)
    build.unguarded = unguarded(build, source)
    build.inlined = inlined(of: build, source, hooks: hooks)
    build.isOptimised = mayLackCalls
  }

  /// Whether an optimiser may have removed calls without a record.
  ///
  /// Without inlining, Swift's compiler keeps all calls, but C compilers still remove calls of
  /// functions that do nothing or return a known value. In a program with both languages, C
  /// functions are few, so Swift decides.
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
    // In a static program, most functions belong to libraries without debug information.
    let places = self.places(of: addresses)
    let known = zip(addresses, places).filter { $1.file != nil && !$1.isCompilerGenerated }.map(\.0)
    return describe(known, unnamed: Self.unnamed).filter {
      source.contains(module: $0.module, isSwift: $0.name.isSwiftSymbol, file: $0.file)
    }
  }
}

/// Distinguishes the program's own source from library code copied into the program.
struct SourceScope {
  private let modules: Set<TextBytes>

  init(_ functions: [Function]) {
    modules = Set(texts: functions.lazy.map(\.module)).subtracting(ToolchainModules.names)
  }

  /// - Parameter file: the file of the declaration; unknown for Swift's specialisations.
  func contains(module: String, isSwift: Bool, file: String?) -> Bool {
    isSwift ? contains(module: module) : file.map { contains(file: $0) } ?? false
  }

  /// Whether a Swift module belongs to the source.
  func contains(module: String) -> Bool { modules.contains(module) }

  /// Whether a file with code in another language belongs to the source.
  func contains(file: String) -> Bool {
    file != NumberedPaths.compilerGenerated && !file.begins(with: "/usr/")
      && !Self.isOfRuntime(file: file) && !file.containsUTF8("/swift/usr/")
  }

  /// Whether a source file belongs to a runtime in instrumented programs: Firstlight's, or LLVM's
  /// for sanitizers and profiles.
  static func isOfRuntime(file: String) -> Bool {
    ["/FirstlightRuntime/", "/FirstlightCounters/", "/compiler-rt/lib/"].contains {
      file.containsUTF8($0)
    }
  }

  /// Whether a unit is one of musl's start files, which each program has: it calls `main` and the C library alone.
  /// glibc's are in assembly.
  static func isStartFile(_ file: String) -> Bool {
    ["crt1.c", "Scrt1.c", "rcrt1.c"].contains {
      file == "crt/\($0)" || file.ends(with: "/crt/\($0)")
    }
  }
}
