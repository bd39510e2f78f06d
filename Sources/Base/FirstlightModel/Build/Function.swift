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
  package var names: FunctionNames
  /// Other linker names of the same address.
  package var aliases: [String]
  /// The source file of the declaration; nil without debug information.
  package var file: String?
  /// Line of the declaration; 0 if unknown or compiler-generated.
  package var line: Int
  /// Whether debug information places the function in `<compiler-generated>` or on line 0.
  package var isCompilerGenerated: Bool
  /// Whether the linker keeps the name local to one object file.
  package var isLocal: Bool

  package init(
    code: Code = .unguarded, address: UInt64? = nil, size: UInt64 = 0,
    names: FunctionNames, aliases: [String] = [], file: String?, line: Int,
    isCompilerGenerated: Bool = false, isLocal: Bool = false
  ) {
    self.code = code
    self.address = address
    self.size = size
    self.names = names
    self.aliases = aliases
    self.file = file
    self.line = line
    self.isCompilerGenerated = isCompilerGenerated
    self.isLocal = isLocal
  }

  package init(
    code: Code = .unguarded, address: UInt64? = nil, size: UInt64 = 0, name: String,
    aliases: [String] = [], demangledName: String, module: String, file: String?, line: Int,
    isCompilerGenerated: Bool = false, isLocal: Bool = false
  ) {
    self.init(
      code: code, address: address, size: size,
      names: FunctionNames(linker: name, readable: demangledName, module: module),
      aliases: aliases, file: file, line: line, isCompilerGenerated: isCompilerGenerated,
      isLocal: isLocal)
  }
}

extension Function {
  package var name: String {
    get { names.linker }
    set {
      names = FunctionNames(linker: newValue, readable: names.readable, module: names.module)
    }
  }

  package var demangledName: String {
    get { names.readable }
    set { names = FunctionNames(linker: names.linker, readable: newValue, module: names.module) }
  }

  package var module: String {
    get { names.module }
    set { names = FunctionNames(linker: names.linker, readable: names.readable, module: newValue) }
  }

  package var identity: FunctionIdentity { names.identity }
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
    Function(code: code, names: names, file: file, line: line)
  }

  /// The function's group: its Swift module, or for other languages the image's file name.
  package func moduleName(in build: Build) -> String {
    module.isEmpty ? build.name : module
  }
}
