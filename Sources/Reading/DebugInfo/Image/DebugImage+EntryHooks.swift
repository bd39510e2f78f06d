import FirstlightModel

/// Builds whose compiler set the hooks of `-finstrument-functions` (`firstlight flags gcc`).
extension DebugImage {
  static let entryHook = "__cyg_profile_func_enter"

  /// The start addresses of functions by the indices that entry hooks record.
  package var unwindTable: [UInt64] { UnwindTable.addresses(elf) }

  /// Whether the file has entry hooks, and their runtime.
  package var hasEntryHooks: Bool {
    symbols.named([Self.entryHook]).contains {
      elf.sectionName(at: $0.address) == "firstlight_runtime"
    }
  }

  /// The functions whose arguments gcc's entry hooks destroy, because they are naked; by name.
  package var functionsBrokenByHooks: [String] {
    guard elf.section("firstlight_runtime") != nil, architecture == "x86_64" else { return [] }
    return entryHooks.naked.map { symbols.containing($0)?.name ?? HexText.of($0) }.sorted()
  }

  /// The build for a profile of this image recorded by entry hooks: the functions that call the hook. In a
  /// file without symbols, all functions with an unwind entry.
  package func entryHookBuild(recordedPath: String) throws(Failure) -> Build {
    let table = unwindTable
    let scanner = entryHooks
    var indices: [UInt32] = []
    for (index, address) in table.enumerated()
    where (index == 0 || table[index - 1] != address)
      && (!scanner.hasHook || scanner.hooked.contains(address))
    {
      indices.append(UInt32(index))
    }
    let functions = describe(indices.map { table[Int($0)] }, unnamed: Self.unnamed)
    var build = Build(
      buildID: recordedID, path: recordedPath, kind: kind, architecture: architecture,
      hasSymbols: hasSymbols, hasDebugInfo: hasDebugInfo, functions: functions,
      entryGuards: indices, guardCount: table.count, recorder: .entryHooks)
    addUnwatched(to: &build, scanner)
    try checkUnchanged()
    return build
  }

  private func addUnwatched(to build: inout Build, _ scanner: EntryHookScanner) {
    addUnwatched(to: &build, hooks: HookedCopies(self, scanner, functions: build.functions))
    let names = Set(build.guarded.flatMap { [$0.name] + $0.aliases })
    // Clones and cold parts of a function pass the function's own address.
    build.functions.removeAll {
      $0.isUnguarded && $0.name.containsUTF8(".") && names.contains(CloneSuffix.base(of: $0.name))
    }
    if build.isOptimised { build.functions += possibleCopies(of: build) }
    // Calls of a function with hooks are seen wherever they were inlined.
    build.isOptimised = false
  }

  /// Small functions that clang may have inlined without a hook, and without a record.
  ///
  /// It sets no hooks in copies of functions that another object file defines (LLVM's EntryExitInstrumenter): `inline`
  /// of C, and C++ templates that are declared `extern`. Larger copies leave a record; gcc leaves one of all.
  private func possibleCopies(of build: Build) -> [Function] {
    guard survey.hasClang else { return [] }
    return build.guarded.filter { function in
      guard !function.isLocal, function.size < 128, let file = function.file else { return false }
      let isTemplate = function.demangledName.containsUTF8("<")
      return Self.isHeader(file) && (isTemplate || !function.name.begins(with: "_Z"))
    }.map { $0.named(code: .copies(of: [], unknownHost: true)) }
  }

  private static func isHeader(_ file: String) -> Bool {
    let ending = file.split(at: "/").last?.split(at: ".").dropFirst().last ?? ""
    return ["h", "H", "hh", "hpp", "hxx", "h++", "inc", "inl", "ipp", "tcc", "tpp"].contains(ending)
  }
}

/// Finds the inlined copies that call the hook.
struct HookedCopies {
  private let image: DebugImage
  private let scanner: EntryHookScanner
  /// Entries of the functions with hooks, by linker name.
  private var entries: [TextBytes: [UInt64]] = [:]
  /// Names of functions with hooks that other object files can call.
  private var global: Set<TextBytes> = []

  init(_ image: DebugImage, _ scanner: EntryHookScanner, functions: [Function]) {
    self.image = image
    self.scanner = scanner
    for function in functions {
      guard let address = function.address else { continue }
      for name in [function.name] + function.aliases { entries[name, default: []].append(address) }
      if !function.isLocal { global.formUnion(Set(texts: [function.name] + function.aliases)) }
    }
  }

  /// Whether a function of this name has hooks, and is not local to its object file.
  func isDefinedForOthers(_ name: String) -> Bool { global.contains(name) }

  /// Whether code that begins at one of these offsets calls the hook for the function. Only the function
  /// itself reaches a copy within it.
  func contains(_ name: String, in pieces: [UInt32]) -> Bool {
    guard let targets = entries[name] else { return false }
    let starts = pieces.map { image.elf.codeRange.lowerBound + UInt64($0) }
    // The hook of a copy in a cold part may be called before control gets there.
    return isCalled(targets, from: starts) || isCalled(targets, from: starts.flatMap(wholes))
  }

  private func isCalled(_ targets: [UInt64], from starts: [UInt64]) -> Bool {
    starts.contains { start in
      targets.contains {
        start == $0 || scanner.references.contains(.init(start: start, target: $0))
      }
    }
  }

  /// The functions that a clone or cold part at an address may belong to.
  private func wholes(_ start: UInt64) -> [UInt64] {
    image.symbols.at(start).filter { $0.name.containsUTF8(".") }
      .flatMap { entries[CloneSuffix.base(of: $0.name)] ?? [] }
  }
}
