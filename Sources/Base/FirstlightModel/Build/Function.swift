/// One function of a build.
package struct Function: Hashable, Sendable {
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

  /// The facts in its names; parsed at each call.
  package var identity: FunctionIdentity { FunctionIdentity(name: name, demangled: demangledName) }
}

extension Function {
  /// The function's group: its Swift module, or for other languages the image's file name.
  package func moduleName(in build: Build) -> String {
    module.isEmpty ? build.name : module
  }
}
