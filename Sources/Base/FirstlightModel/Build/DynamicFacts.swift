/// Contents of the dynamic section; all empty for a static program.
package struct DynamicFacts: Hashable, Sendable {
  /// Needed shared libraries (`DT_NEEDED`), in order.
  package var needed: [String] = []
  /// The library name that other binaries link against (`DT_SONAME`).
  package var soname: String?
  /// Search folders for needed libraries (`DT_RUNPATH`, else `DT_RPATH`), verbatim.
  package var runPath: [String] = []
  /// Whether the search folders also apply to the libraries' own needs: they come from `DT_RPATH`.
  package var isRunPathInherited = false
  /// Whether the loader runs libraries of the binary's choice before all others (`DT_AUDIT`, `DT_DEPAUDIT`).
  package var needsAuditors = false
  /// Whether the binary prefers its own symbols to those of others (`-Bsymbolic`).
  package var isSymbolic = false
  /// Whether there is a `DT_GNU_HASH` and a `DT_HASH` table.
  package var hasGNUHash = false
  package var hasSystemVHash = false
  /// Whether all functions are bound at start (`-z now`).
  package var bindsNow = false
  /// Whether relative relocations are packed (`DT_RELR`).
  package var hasPackedRelocations = false
  /// Functions and objects defined here and visible to other images.
  package var definitions: [SymbolDefinition] = []
  /// Symbols that other images must or may define.
  package var references: [SymbolReference] = []

  package init() {}

  /// Names of `definitions`.
  package var exported: [String] { definitions.lazy.filter { !$0.isStub }.map(\.name) }
  /// Names of symbols that other images must define.
  package var imported: [String] { references.lazy.filter(\.isUndefined).map(\.name) }
}
