import FirstlightModel
import SystemSupport

extension DebugImage {
  /// The file's identity in recordings: its build id, or a digest of its contents.
  package var recordedID: BuildID {
    buildID ?? BuildID(fileDigest: FileDigest.digest(elf.file.bytes))
  }

  /// The functions that have an entry guard, in guard order, and their guards' indices; none without a
  /// complete PC table.
  package func functions() -> (functions: [Function], entryGuards: [UInt32]) {
    let table = pcTable
    var entryGuards: [UInt32] = []
    for (index, entry) in table.enumerated() where entry.isFunctionEntry {
      entryGuards.append(UInt32(index))
    }
    let functions = describe(
      entryGuards.map { table[Int($0)].address }, unnamed: Self.unnamed)
    return (functions, entryGuards)
  }

  /// The functions that start at these link-time addresses.
  ///
  /// - Parameter unnamed: the displayed name of a function without symbol and debug information.
  func describe(
    _ addresses: [UInt64], unnamed: @Sendable (UInt64) -> String
  ) -> [Function] {
    let symbols = symbols
    let ranges = addresses.map { symbols.indices(at: $0) }
    let places = source.declarations(at: addresses)
    // Of several functions with the same code, the one that debug information describes represents it: its place is
    // that of the code.
    let chosen = zip(ranges, places).map { range, place -> Int? in
      guard range.count > 1, let name = place.name, !name.isSwiftSymbol else { return range.last }
      return range.last { symbols.name($0) == name } ?? range.last
    }
    let names = chosen.map { $0.map(symbols.name) ?? "" }
    let demangled = Demangler.demangle(names)
    // In a file with all its symbols, only compiler-generated functions lack a linker name.
    let isUnnamedCompilerGenerated = hasLocalSymbols && hasDebugInfo
    var functions = Parallel.map(addresses.count, batch: 512) { index in
      let address = addresses[index]
      let place = places[index]
      var function = Function(
        address: address == 0 ? nil : address, size: 0, name: names[index],
        demangledName: demangled[index], module: "", file: place.file, line: place.line,
        isCompilerGenerated: place.isCompilerGenerated, isLocal: false)
      if let best = chosen[index] {
        let entry = symbols.entries[best]
        function.size = entry.size
        function.isLocal = entry.binding == .local
        function.aliases = ranges[index].reversed().map(symbols.name)
          .filter { $0 != names[index] }
        function.module = Demangler.swiftModule(of: names[index], demangled: demangled[index])
      } else {
        function.demangledName = place.name ?? unnamed(address)
        if isUnnamedCompilerGenerated { function.isCompilerGenerated = true }
      }
      return function
    }
    markHelpers(&functions)
    return functions
  }

  /// Marks functions that Swift generates without debug information (value witnesses, metadata
  /// accessors and the like): they lack it in a module whose other functions have it. Merged
  /// functions lack it too.
  private func markHelpers(_ functions: inout [Function]) {
    var covered: Set<TextBytes> = []
    for function in functions where function.file != nil { covered.insert(function.module) }
    var unknown: [Int] = []
    for index in functions.indices where functions[index].file == nil {
      let function = functions[index]
      if function.name.isSwiftSymbol, covered.contains(function.module) {
        unknown.append(index)
      } else if Self.helperNames.contains(where: { function.name.begins(with: $0) }) {
        functions[index].isCompilerGenerated = true
      }
    }
    let written = MergedThunks(self).written(unknown, of: functions)
    for index in unknown where !written.contains(index) {
      functions[index].isCompilerGenerated = true
    }
  }

  /// Beginnings of names of functions that compilers make: Swift's IR generation (swift/lib/IRGen), and clang's of C++
  /// (CodeGen/CGDeclCXX.cpp, ItaniumCXXABI.cpp): wrappers of thread-local variables, initializers, termination.
  private static let helperNames: [StaticString] = [
    "__swift_", "block_copy_helper", "block_destroy_helper",
    "_ZTW", "_ZTH", "_GLOBAL__", "__cxx_global_", "__clang_call_terminate",
  ]

  /// The build for a profile of this image. A file without build id is identified by a digest of its contents.
  package func build(recordedPath: String) throws(Failure) -> Build {
    try checkUnchanged()
    guard isInstrumented else {
      throw Failure(
        .data, "\(path): not instrumented: it was built without Firstlight's flags",
        advice: "build it with the flags that `firstlight flags` prints")
    }
    if pcTable.isEmpty {
      throw Failure(
        .data,
        "\(path): its PC table has \(PCTable.count(elf)) of \(guardCount) guards: objects were compiled "
          + "without it", advice: "compile all with the flags that `firstlight flags` prints")
    }
    let (functions, entryGuards) = functions()
    var build = Build(
      buildID: recordedID,
      path: recordedPath, kind: kind, architecture: architecture, hasSymbols: hasSymbols,
      hasDebugInfo: hasDebugInfo, functions: functions, entryGuards: entryGuards,
      guardCount: guardCount)
    addUnwatched(to: &build)
    try checkUnchanged()
    return build
  }
}

extension DebugImage {
  /// The start addresses of the image's functions.
  package var functionEntries: FunctionEntries { FunctionEntries(self) }

  /// The build for a profile of this image recorded by breakpoints: one function for each of
  /// `entries` (nil: `functionEntries`), ordered by address; the position is the guard index. A
  /// file without build id is identified by a digest of its contents.
  ///
  /// A function without any name is displayed as `fn_<address in hexadecimal>` and has no linker
  /// name.
  package func symbolBuild(recordedPath: String, entries: FunctionEntries? = nil) -> Build {
    let functions = describe(
      (entries ?? functionEntries).addresses, unnamed: Self.unnamed)
    var build = symbolBuild(
      of: withSizes(functions), recordedID, hasSymbols: hasSymbols, recordedPath: recordedPath)
    build.hasDebugInfo = hasDebugInfo
    addUnwatched(to: &build)
    return build
  }

  /// A `symbolBuild` of a file that has changed since it was opened: its functions are addresses alone.
  package func namelessBuild(recordedPath: String, entries: FunctionEntries) -> Build {
    let functions = entries.addresses.map { address in
      Function(
        address: address, size: 0, name: "", demangledName: Self.unnamed(address), module: "",
        file: nil, line: 0, isCompilerGenerated: false, isLocal: false)
    }
    let id = buildID ?? BuildID(fileDigest: FileDigest.digest(.empty))
    return symbolBuild(of: functions, id, hasSymbols: false, recordedPath: recordedPath)
  }

  /// The displayed name of a function without any name.
  @Sendable static func unnamed(_ address: UInt64) -> String { "fn_\(String(address, radix: 16))" }

  private func symbolBuild(
    of functions: [Function], _ id: BuildID, hasSymbols: Bool, recordedPath: String
  ) -> Build {
    Build(
      buildID: id, path: recordedPath, kind: kind, architecture: architecture,
      hasSymbols: hasSymbols,
      hasDebugInfo: false, functions: functions,
      entryGuards: (0..<UInt32(functions.count)).map { $0 }, guardCount: functions.count,
      recorder: .breakpoints)
  }

  /// The build for a profile of this image recorded by another tool: its guards if it has a table
  /// of them, else the functions that debug information places in a source file, or all functions
  /// without debug information.
  ///
  /// - Parameter usesGuards: whether a file with guards gives one function for each.
  package func sourceBuild(
    recordedPath: String, usesGuards: Bool = true
  ) throws(Failure) -> Build {
    if usesGuards, !pcTable.isEmpty { return try build(recordedPath: recordedPath) }
    var entries = functionEntries
    if hasDebugInfo {
      let places = source.declarations(at: entries.addresses)
      entries.addresses = zip(entries.addresses, places).filter { $1.file != nil }.map(\.0)
    }
    let build = symbolBuild(recordedPath: recordedPath, entries: entries)
    try checkUnchanged()
    return build
  }

  /// Adds sizes from the unwind tables to functions without symbol.
  private func withSizes(_ functions: [Function]) -> [Function] {
    guard functions.contains(where: { $0.size == 0 }) else { return functions }
    var sizes: [UInt64: UInt64] = [:]
    for entry in FrameDescriptions.read(elf) { sizes[entry.start] = entry.size }
    var functions = functions
    for index in functions.indices where functions[index].size == 0 {
      if let address = functions[index].address, let size = sizes[address] {
        functions[index].size = size
      }
    }
    return functions
  }
}
