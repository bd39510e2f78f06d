import FirstlightModel

extension DebugImage {
  /// What a recording names the file by: its build id, or a digest of all of it.
  package var recordedID: BuildID {
    buildID ?? BuildID(fileDigest: FileDigest.digest(elf.file.bytes))
  }

  /// The functions that have an entry guard, in guard order, and their guards' indices.
  ///
  /// Without a PC table, entry guards cannot be recognised: then each guard counts as a function without
  /// address.
  package func functions() -> (functions: [Function], entryGuards: [UInt32]) {
    let table = pcTable
    guard !table.isEmpty else {
      let functions = (0..<guardCount).map {
        Function(
          address: nil, size: 0, name: "", demangledName: "<guard \($0)>", module: "", file: nil,
          line: 0, isCompilerGenerated: false, isLocal: false)
      }
      return (functions, (0..<UInt32(guardCount)).map { $0 })
    }
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
  /// - Parameter unnamed: what people call one that no symbol nor debug information names.
  func describe(
    _ addresses: [UInt64], unnamed: @Sendable (UInt64) -> String
  ) -> [Function] {
    let symbols = symbols
    let ranges = addresses.map { symbols.indices(at: $0) }
    let names = ranges.map { $0.isEmpty ? "" : symbols.name($0.upperBound - 1) }
    let demangled = Demangler.demangle(names)
    let places = self.places(of: addresses)
    // Only the compiler makes functions without a name for the linker. In a stripped file all lack names.
    let isUnnamedCompilerGenerated = hasLocalSymbols && hasDebugInfo
    var functions = Parallel.map(addresses.count, batch: 512) { index in
      let address = addresses[index]
      let place = places[index]
      var function = Function(
        address: address == 0 ? nil : address, size: 0, name: names[index],
        demangledName: demangled[index], module: "", file: place.file, line: place.line,
        isCompilerGenerated: place.isCompilerGenerated, isLocal: false)
      if let best = ranges[index].last {
        let entry = symbols.entries[best]
        function.size = entry.size
        function.isLocal = entry.binding == 0
        function.aliases = ranges[index].dropLast().reversed().map(symbols.name)
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

  /// Marks the functions that Swift makes without debug information (value witnesses, metadata
  /// accessors and the like): of a module that has debug information for others, they have none. Nor
  /// have functions that were merged with others.
  private func markHelpers(_ functions: inout [Function]) {
    var covered: Set<String> = []
    for function in functions where function.file != nil { covered.insert(function.module) }
    var unknown: [Int] = []
    for index in functions.indices where functions[index].file == nil {
      let function = functions[index]
      if Demangler.isSwift(function.name), covered.contains(function.module) {
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

  /// What Swift's IR generation calls functions of its own that have no mangled name
  /// (swift/lib/IRGen).
  private static let helperNames: [StaticString] = [
    "__swift_", "block_copy_helper", "block_destroy_helper",
  ]

  /// All a profile keeps of this image. A file without build id is known by its contents' digest.
  package func build(recordedPath: String) throws(Failure) -> Build {
    guard isInstrumented else {
      throw Failure(
        .data, "\(path): not instrumented: it was built without Firstlight's flags",
        advice: "build it with the flags that `firstlight flags` prints")
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
  /// Where its functions begin.
  package var functionEntries: FunctionEntries { FunctionEntries(self) }

  /// All a profile keeps of this image when it is recorded by breakpoints: one function for each of
  /// `entries` (nil: `functionEntries`), in order of address; its place is its guard index. A file
  /// without build id is known by its contents' digest.
  ///
  /// A function that nothing names is `fn_<address in hexadecimal>` to people and has no name for the
  /// linker.
  package func symbolBuild(recordedPath: String, entries: FunctionEntries? = nil) -> Build {
    let functions = describe(
      (entries ?? functionEntries).addresses, unnamed: Self.unnamed)
    var build = symbolBuild(of: withSizes(functions), recordedPath: recordedPath)
    build.hasDebugInfo = hasDebugInfo
    addUnwatched(to: &build)
    return build
  }

  /// What of a `symbolBuild` is known without reading debug information or demangling: functions have the
  /// names of their symbols. For one who has no time.
  package func bareBuild(recordedPath: String, entries: FunctionEntries) -> Build {
    let functions = entries.addresses.map { address in
      let symbol = symbols(at: address).first
      return Function(
        address: address, size: symbol?.size ?? 0, name: symbol?.name ?? "",
        demangledName: symbol?.name ?? Self.unnamed(address), module: "", file: nil, line: 0,
        isCompilerGenerated: false, isLocal: symbol?.isLocal ?? false)
    }
    return symbolBuild(of: functions, recordedPath: recordedPath)
  }

  /// What people call a function that nothing names.
  @Sendable static func unnamed(_ address: UInt64) -> String { "fn_\(String(address, radix: 16))" }

  private func symbolBuild(of functions: [Function], recordedPath: String) -> Build {
    Build(
      buildID: recordedID,
      path: recordedPath, kind: kind, architecture: architecture, hasSymbols: hasSymbols,
      hasDebugInfo: false, functions: functions,
      entryGuards: (0..<UInt32(functions.count)).map { $0 }, guardCount: functions.count,
      recorder: .breakpoints)
  }

  /// All a profile keeps of this image when another tool watched it: by its guards if it has a table
  /// of them, else by the functions that debug information puts in a source file. Without debug
  /// information by all of them.
  package func sourceBuild(recordedPath: String) throws(Failure) -> Build {
    if !pcTable.isEmpty { return try build(recordedPath: recordedPath) }
    var entries = functionEntries
    if hasDebugInfo {
      let places = self.places(of: entries.addresses)
      entries.addresses = zip(entries.addresses, places).filter { $1.file != nil }.map(\.0)
    }
    let build = symbolBuild(recordedPath: recordedPath, entries: entries)
    try checkUnchanged()
    return build
  }

  /// All a profile keeps of this image when a sanitizer recorded its coverage: by its guards if it has a
  /// table of them, else by the functions that call the sanitizer's hook. No others are watched.
  ///
  /// - Throws: `.data` if there are none.
  package func sanitizedBuild(recordedPath: String) throws(Failure) -> Build {
    if !pcTable.isEmpty { return try build(recordedPath: recordedPath) }
    var scanner = CallScanner(self, names: Self.coverageHooks)
    let callers = scanner.callers()
    var entries = functionEntries
    entries.addresses.removeAll { !callers.contains($0) }
    guard !entries.addresses.isEmpty else {
      throw Failure(
        .data, "\(path): none of its functions calls a sanitizer's coverage hook",
        advice: "use a binary built with -fsanitize-coverage")
    }
    let build = symbolBuild(recordedPath: recordedPath, entries: entries)
    try checkUnchanged()
    return build
  }

  /// What instrumented code calls (LLVM's sancov tool, `isCoveragePoint`, and the hook without guards).
  private static let coverageHooks: Set<String> = [
    "__sanitizer_cov", "__sanitizer_cov_with_check", "__sanitizer_cov_trace_func_enter",
    "__sanitizer_cov_trace_pc_guard", "__sanitizer_cov_trace_pc",
  ]

  /// Gives functions without symbol the size that the unwind tables know.
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
