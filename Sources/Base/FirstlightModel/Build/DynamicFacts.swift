/// What the dynamic section says; all empty for a static program.
public struct DynamicFacts: Hashable, Sendable {
  /// Shared libraries it is linked with (`DT_NEEDED`), in order.
  public var needed: [String] = []
  /// The name by which others need it (`DT_SONAME`).
  public var soname: String?
  /// Folders to look for them in (`DT_RUNPATH`, else `DT_RPATH`), as they stand there.
  public var runPath: [String] = []
  /// Whether those folders are also for what its libraries need: they are `DT_RPATH`.
  public var isRunPathInherited = false
  /// Whether the loader's usual folders are left out (`-z nodefaultlib`).
  public var skipsUsualFolders = false
  /// Whether it prefers its own symbols to those of others (`-Bsymbolic`).
  public var isSymbolic = false
  /// Whether there is a `DT_GNU_HASH` and a `DT_HASH` table.
  public var hasGNUHash = false
  public var hasSystemVHash = false
  /// Whether all functions are bound at start (`-z now`).
  public var bindsNow = false
  /// Whether relative relocations are packed (`DT_RELR`).
  public var hasPackedRelocations = false
  /// Functions and objects defined here that others can see.
  public var definitions: [SymbolDefinition] = []
  /// Symbols that other images have to define, or may.
  public var references: [SymbolReference] = []

  public init() {}

  /// Names of `definitions`.
  public var exported: [String] { definitions.lazy.filter { !$0.isStub }.map(\.name) }
  /// Names of symbols that other images have to define.
  public var imported: [String] { references.lazy.filter(\.isUndefined).map(\.name) }
}
