import FirstlightModel

extension DebugImage {
  /// Where its functions begin.
  public var functionEntries: FunctionEntries { FunctionEntries(self) }

  /// All a profile keeps of this image when it is recorded by breakpoints: one function for each of
  /// `entries` (nil: `functionEntries`), in order of address; its place is its guard index. A file
  /// without build id is known by its contents' digest.
  ///
  /// A function that nothing names is `fn_<address in hexadecimal>` to people and has no name for the
  /// linker.
  public func symbolBuild(recordedPath: String, entries: FunctionEntries? = nil) -> Build {
    let functions = describe(
      (entries ?? functionEntries).addresses, unnamed: { "fn_\(String($0, radix: 16))" })
    var build = Build(
      buildID: buildID ?? BuildID(fileDigest: FileDigest.digest(elf.file.bytes)),
      path: recordedPath, kind: kind, architecture: architecture, hasSymbols: hasSymbols,
      hasDebugInfo: hasDebugInfo, functions: withSizes(functions),
      entryGuards: (0..<UInt32(functions.count)).map { $0 }, guardCount: functions.count,
      recorder: .breakpoints)
    addUnwatched(to: &build)
    return build
  }

  /// All a profile keeps of this image when another tool watched it: by its guards if it has a table
  /// of them, else by the functions that debug information puts in a source file. Without debug
  /// information by all of them.
  public func sourceBuild(recordedPath: String) throws(Failure) -> Build {
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
