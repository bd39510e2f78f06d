/// One function of a build: all that is known of it without a run.
package struct Function: Hashable, Sendable {
  /// The code that a build has of a function.
  package enum Code: Hashable, Sendable {
    /// Code with a guard of this index.
    case guarded(UInt32)
    /// Code without a guard.
    case unguarded
    /// Copies inside other functions, according to debug information: those with these guards (rising), and possibly
    /// ones without a guard or unknown ones, whose calls no recording shows.
    case copies(of: [UInt32], unknownHost: Bool)
    /// The compiler's counter of a source function, set before inlining, with the runs that counted it: the binary need
    /// not have code of it. The times are those of the runs, which lasted at least from the first to the last call.
    case counted(GuardCoverage)
    /// None, because the linker dropped it.
    case dropped
  }

  package var code: Code
  /// Link-time address of the entry; nil if the build has no PC table.
  package var address: UInt64?
  /// Size of the symbol in bytes; 0 if unknown.
  package var size: UInt64
  /// The linker's name; empty if no symbol starts at the entry.
  package var name: String
  /// Other linker names of the same address.
  package var aliases: [String]
  /// The readable name; equals `name` if that is not mangled.
  package var demangledName: String
  /// The Swift module; empty for other languages.
  package var module: String
  /// The source file of the declaration; nil without debug information.
  package var file: String?
  /// Line of the declaration; 0 if unknown or compiler-generated.
  package var line: Int
  /// Whether debug information places the function in `<compiler-generated>` or on line 0.
  package var isCompilerGenerated: Bool
  /// Whether the linker keeps the name local to one object file.
  package var isLocal: Bool

  package init(
    code: Code = .unguarded, address: UInt64? = nil, size: UInt64 = 0, name: String,
    aliases: [String] = [], demangledName: String, module: String, file: String?, line: Int,
    isCompilerGenerated: Bool = false, isLocal: Bool = false
  ) {
    self.code = code
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

  /// The facts in its names; parsed at each call.
  package var identity: FunctionIdentity { FunctionIdentity(name: name, demangled: demangledName) }
}

extension Function {
  package var isGuarded: Bool { if case .guarded = code { true } else { false } }

  /// The index of its guard; nil without one.
  package var guardIndex: UInt32? { if case .guarded(let index) = code { index } else { nil } }

  package var isUnguarded: Bool { code == .unguarded }

  package var isCopied: Bool { if case .copies = code { true } else { false } }

  package var isCounted: Bool { if case .counted = code { true } else { false } }

  /// The runs that counted it; none without a counter.
  package var counted: GuardCoverage {
    get { if case .counted(let seen) = code { seen } else { GuardCoverage() } }
    set { code = .counted(newValue) }
  }

  /// The same function with other code, of which nothing but its names and place is known.
  package func named(code: Code) -> Function {
    Function(
      code: code, name: name, demangledName: demangledName, module: module, file: file, line: line)
  }

  /// The function's group: its Swift module, or for other languages the image's file name.
  package func moduleName(in build: Build) -> String {
    module.isEmpty ? build.name : module
  }
}
