/// The kind of an ELF file.
package enum ImageKind: String, Sendable {
  case executable = "executable"
  case sharedLibrary = "shared library"
}

/// One build of one image with its function table: sufficient to read a profile after the file was
/// removed.
package struct Build: Sendable {
  package var buildID: BuildID
  /// The recorder that watched the functions. Traces of one build by different recorders have
  /// different function tables and are never merged.
  package var recorder: Recorder
  /// The file's path at the time of the recording.
  package var path: String
  package var kind: ImageKind
  /// The machine name that `uname -m` would print.
  package var architecture: String
  package var hasSymbols: Bool
  package var hasDebugInfo: Bool
  /// One function for each entry guard, in guard order.
  package var functions: [Function]
  /// The entry guard index of each function, rising. Code without hooks has the other indices in builds with entry
  /// hooks, and guards of branches have them in builds that a user's own flags gave these.
  package var entryGuards: [UInt32]
  /// Number of guards of all kinds; for builds watched by breakpoints, number of functions.
  package var guardCount: Int
  /// Source functions that have code but no guard.
  package var unguarded: [Function] = []
  /// Source functions that the compiler inlined into others.
  package var inlined: [InlinedFunction] = []
  /// Whether the build was optimised according to its debug information: functions may have been
  /// inlined without a record.
  package var isOptimised = false

  package init(
    buildID: BuildID, path: String, kind: ImageKind, architecture: String, hasSymbols: Bool,
    hasDebugInfo: Bool, functions: [Function], entryGuards: [UInt32], guardCount: Int,
    recorder: Recorder = .guards
  ) {
    self.buildID = buildID
    self.recorder = recorder
    self.path = path
    self.kind = kind
    self.architecture = architecture
    self.hasSymbols = hasSymbols
    self.hasDebugInfo = hasDebugInfo
    self.functions = functions
    self.entryGuards = entryGuards
    self.guardCount = guardCount
  }

  /// The last part of the path.
  package var name: String { BaseName.of(path) }

  /// The function of an entry guard. Nil for other guards: a function's entry is called before its branches.
  package func function(ofGuard index: UInt32) -> Int? {
    guard index < guardCount, !entryGuards.isEmpty else { return nil }
    if entryGuards.count == guardCount { return Int(index) }
    let place = entryGuards.partitioningIndex { $0 >= index }
    return place < entryGuards.count && entryGuards[place] == index ? place : nil
  }
}

/// Swift modules of the toolchain. A program contains only copies of their code: specialisations,
/// and functions that are emitted into each client.
package enum ToolchainModules {
  package static let names: Set<TextBytes> = [
    "Swift", "SwiftOnoneSupport", "_Concurrency", "_StringProcessing", "_RegexParser",
    "_Differentiation", "_Volatile", "_Backtracing", "Runtime", "Distributed", "Observation",
    "RegexBuilder", "Synchronization", "Cxx", "CxxStdlib", "std", "__C", "__C_Synthesized",
    "__ObjC",
    "Foundation", "FoundationEssentials", "FoundationInternationalization", "FoundationNetworking",
    "FoundationXML", "_FoundationCollections", "_FoundationCShims", "_FoundationICU",
    "CoreFoundation", "Dispatch", "CDispatch", "Glibc", "SwiftGlibc", "Musl", "XCTest", "Testing",
    "_TestingInternals", "_Testing_Foundation", "SwiftShims",
  ]
}
