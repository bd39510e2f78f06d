/// What the dynamic section says; all empty for a static program.
package struct DynamicFacts: Hashable, Sendable {
  /// Shared libraries it is linked with (`DT_NEEDED`), in order.
  package var needed: [String] = []
  /// The name by which others need it (`DT_SONAME`).
  package var soname: String?
  /// Folders to look for them in (`DT_RUNPATH`, else `DT_RPATH`), as they stand there.
  package var runPath: [String] = []
  /// Whether those folders are also for what its libraries need: they are `DT_RPATH`.
  package var isRunPathInherited = false
  /// Whether the loader's usual folders are left out (`-z nodefaultlib`).
  package var skipsUsualFolders = false
  /// Whether it prefers its own symbols to those of others (`-Bsymbolic`).
  package var isSymbolic = false
  /// Whether there is a `DT_GNU_HASH` and a `DT_HASH` table.
  package var hasGNUHash = false
  package var hasSystemVHash = false
  /// Whether all functions are bound at start (`-z now`).
  package var bindsNow = false
  /// Whether relative relocations are packed (`DT_RELR`).
  package var hasPackedRelocations = false
  /// Functions and objects defined here that others can see.
  package var definitions: [SymbolDefinition] = []
  /// Symbols that other images have to define, or may.
  package var references: [SymbolReference] = []

  package init() {}

  /// Names of `definitions`.
  package var exported: [String] { definitions.lazy.filter { !$0.isStub }.map(\.name) }
  /// Names of symbols that other images have to define.
  package var imported: [String] { references.lazy.filter(\.isUndefined).map(\.name) }
}
