import FirstlightModel

extension DebugImage {
  /// Adds the functions that no guard covers: those of the source that have code and no guard, and those that
  /// were copied into others. Of a file without debug information nothing is known.
  func addUnwatched(to build: inout Build) {
    guard hasDebugInfo else { return }
    let source = SourceScope(build.functions)
    build.unguarded = unguarded(build, source)
    build.inlined = inlined(of: build, source)
    build.isOptimised = mayLackCalls
  }

  /// Whether an optimiser may have removed calls without leaving a record.
  ///
  /// With inlining off, Swift's compiler keeps all calls. Compilers of C inline none, yet still remove calls
  /// of functions that only return what they know, or do nothing. In a program of both, the functions of C
  /// are few, and Swift's count.
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
    // Most of a static program's functions are of libraries without debug information.
    let places = self.places(of: addresses)
    let known = zip(addresses, places).filter { $1.file != nil && !$1.isCompilerGenerated }.map(\.0)
    return describe(known, unnamed: Self.unnamed).filter {
      source.contains(module: $0.module, isSwift: Demangler.isSwift($0.name), file: $0.file)
    }
  }
}

/// What is of the program's source, in contrast to libraries that only lend code to it.
struct SourceScope {
  private let modules: Set<String>

  init(_ functions: [Function]) {
    modules = Set(functions.lazy.map(\.module)).subtracting(ToolchainModules.names)
  }

  /// - Parameter file: where the function is declared; unknown for Swift's specialisations.
  func contains(module: String, isSwift: Bool, file: String?) -> Bool {
    isSwift ? contains(module: module) : file.map { contains(file: $0) } ?? false
  }

  /// Whether a Swift module is of the source.
  func contains(module: String) -> Bool { modules.contains(module) }

  /// Whether what is declared in a file, if not in Swift, is of the source.
  func contains(file: String) -> Bool {
    file != SourcePaths.compilerGenerated && !file.hasPrefix("/usr/")
      && !Self.isOfRuntime(file: file) && !file.contains("/swift/usr/")
  }

  /// Whether a source file is of a runtime that is linked into instrumented programs: ours, or one of
  /// LLVM's for sanitizers and profiles.
  static func isOfRuntime(file: String) -> Bool {
    file.contains("/FirstlightRuntime/") || file.contains("/compiler-rt/lib/")
  }
}
