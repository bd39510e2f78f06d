import FirstlightModel

extension DebugImage {
  /// Adds the functions that no guard covers: source functions with code but without guard, and
  /// inlined functions. Without debug information, none are known.
  ///
  /// - Parameter hooks: which inlined copies are recorded; nil with guards and breakpoints, where none is.
  func addUnwatched(to build: inout Build, hooks: HookedCopies? = nil) {
    guard hasDebugInfo else { return }
    let source = SourceScope(build.functions)
    // Those whose inlined copies have no hook.
    let copies = InlinedFunctions(survey, code: dwarf.code, hooks: hooks)
      .functions(of: build, source)
    build.functions += unguarded(build, source) + copies
    build.isOptimised = mayLackCalls
  }

  /// A symbol that the linker defines in builds without inlining (`firstlight flags
  /// --no-inlining`): nothing else in a file shows this option.
  private static let keptCalls = "firstlight_keeps_calls"

  /// Whether an optimiser may have removed calls without a record.
  ///
  /// Without inlining, Swift's compiler keeps all calls, but C compilers still remove calls of
  /// functions that do nothing or return a known value. In a program with both languages, C
  /// functions are few, so Swift decides.
  private var mayLackCalls: Bool {
    let optimised = survey.optimised
    guard symbols.containsAbsolute(Self.keptCalls) else { return !optimised.isEmpty }
    return optimised.contains(.other) && !survey.hasSwift
  }

  private func unguarded(_ build: Build, _ scope: SourceScope) -> [Function] {
    let guarded = Set(build.functions.compactMap(\.address))
    var addresses: [UInt64] = []
    for entry in symbols.entries where entry.kind != .indirect {
      if entry.address != addresses.last, !guarded.contains(entry.address) {
        addresses.append(entry.address)
      }
    }
    // In a static program, most functions belong to libraries without debug information.
    let places = source.declarations(at: addresses)
    let known = zip(addresses, places).filter { $1.file != nil && !$1.isCompilerGenerated }.map(\.0)
    return describe(known, unnamed: Self.unnamed).filter {
      scope.contains(module: $0.module, isSwift: $0.name.isSwiftSymbol, file: $0.file)
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
