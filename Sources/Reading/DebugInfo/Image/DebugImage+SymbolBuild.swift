import FirstlightModel

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
