/// One function of a build: its identity is its guard index.
package struct Function: Hashable, Sendable {
  /// Link-time address of its entry; nil if the build has no PC table.
  package var address: UInt64?
  /// Bytes of its symbol; 0 if unknown.
  package var size: UInt64
  /// The name the linker knows; empty if no symbol starts at its entry.
  package var name: String
  /// Other linker names of the same address.
  package var aliases: [String]
  /// The name for people; equals `name` where that is not mangled.
  package var demangledName: String
  /// Swift module, or for other languages the empty string.
  package var module: String
  /// Where it is declared; nil without debug information.
  package var file: String?
  /// Line of the declaration; 0 if unknown or compiler-generated.
  package var line: Int
  /// Whether the compiler made it: debug information puts it in `<compiler-generated>` or on line 0.
  package var isCompilerGenerated: Bool
  /// Whether the linker keeps the name local to one object file.
  package var isLocal: Bool

  package init(
    address: UInt64?, size: UInt64, name: String, aliases: [String] = [], demangledName: String,
    module: String, file: String?, line: Int, isCompilerGenerated: Bool, isLocal: Bool
  ) {
    self.address = address
    self.size = size
    self.name = name
    self.aliases = aliases
    self.demangledName = demangledName
    self.module = module
    self.file = file
    self.line = line
    self.isCompilerGenerated = isCompilerGenerated
    self.isLocal = isLocal
  }
}

/// What kind of ELF file an image is.
package enum ImageKind: String, Sendable {
  case executable = "executable"
  case sharedLibrary = "shared library"
}

/// One build of one image with its function table: all a profile needs to answer after the file is
/// gone.
package struct Build: Sendable {
  package var buildID: BuildID
  /// What its functions were watched by. One build's traces of different recorders have different
  /// function tables, and are never merged.
  package var recorder: Recorder
  /// Where the file was when it was recorded.
  package var path: String
  package var kind: ImageKind
  /// As `uname -m` names it.
  package var architecture: String
  package var hasSymbols: Bool
  package var hasDebugInfo: Bool
  /// One entry a guard, in guard order. At `--level edge` several guards belong to one function:
  /// only its entry guard is listed as a function; see `entryGuards`.
  package var functions: [Function]
  /// For each function its guard index, rising. Equal to `0..<functions.count` at level `func`.
  package var entryGuards: [UInt32]
  /// Number of guards, of all kinds; of a build watched by breakpoints, of functions.
  package var guardCount: Int
  /// Functions of the source that have code and no guard.
  package var unguarded: [Function] = []
  /// Functions of the source that the compiler copied into others.
  package var inlined: [InlinedFunction] = []
  /// Whether, according to debug information, an optimiser may have copied functions into others and left no
  /// record of it.
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

  /// The function a guard belongs to: at level `edge`, the one whose entry guard is the nearest at
  /// or before it. Nil if the guard is not of this build.
  package func function(ofGuard index: UInt32) -> Int? {
    guard index < guardCount, !entryGuards.isEmpty else { return nil }
    if entryGuards.count == guardCount { return Int(index) }
    let next = entryGuards.partitioningIndex { $0 > index }
    return next == 0 ? nil : next - 1
  }
}

extension Build {
  /// Leaves its functions without anything that was read of its file but where they are: the file was
  /// changed meanwhile.
  package mutating func forgetNames() {
    functions = functions.map { function in
      let address = function.address ?? 0
      return Function(
        address: function.address, size: 0, name: "",
        demangledName: "fn_\(String(address, radix: 16))",
        module: "", file: nil, line: 0, isCompilerGenerated: false, isLocal: false)
    }
    hasSymbols = false
    hasDebugInfo = false
    unguarded = []
    inlined = []
  }
}

extension Function {
  /// What a function is grouped by: its Swift module; for other languages, its image's file name.
  package func moduleName(in build: Build) -> String {
    module.isEmpty ? build.name : module
  }
}

/// Swift modules that come with the toolchain. What a program holds of their code are copies:
/// specialisations, and functions that are emitted into each client.
package enum ToolchainModules {
  package static let names: Set<String> = [
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
