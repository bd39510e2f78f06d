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
  /// Those with a guard come first, in the order of their guards. Code without hooks has the other indices in builds with
  /// entry hooks, and guards of branches have them in builds that a user's own flags gave these.
  package var functions: [Function]
  /// Number of guards of all kinds; for builds watched by breakpoints, number of functions.
  package var guardCount: Int
  /// Whether the build was optimised according to its debug information: functions may have been
  /// inlined without a record.
  package var isOptimised = false

  /// - Parameters:
  ///   - functions: with a guard.
  ///   - entryGuards: the index of each one's guard, rising.
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
    self.functions = zip(functions, entryGuards).map { function, index in
      var function = function
      function.code = .guarded(index)
      return function
    }
    self.guardCount = guardCount
  }

  /// The last part of the path.
  package var name: String { BaseName.of(path) }

  /// The functions with a guard. Their indices are those in `functions`.
  package var guarded: ArraySlice<Function> {
    functions[..<functions.partitioningIndex { !$0.isGuarded }]
  }

  /// The guards of `guarded`.
  package var entryGuards: [UInt32] { guarded.compactMap(\.guardIndex) }

  /// The function of an entry guard. Nil for other guards: a function's entry is called before its branches.
  package func function(ofGuard index: UInt32) -> Int? {
    // Mostly, all guards are entry guards.
    if index < functions.count, functions[Int(index)].guardIndex == index { return Int(index) }
    let place = functions.partitioningIndex {
      if case .guarded(let other) = $0.code { other >= index } else { true }
    }
    return place < functions.count && functions[place].guardIndex == index ? place : nil
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
