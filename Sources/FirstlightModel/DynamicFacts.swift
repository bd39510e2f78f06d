/// What the dynamic section says; all empty for a static program.
public struct DynamicFacts: Hashable, Sendable {
  /// Shared libraries it is linked with (`DT_NEEDED`), in order.
  public var needed: [String] = []
  /// Folders to look for them in (`DT_RUNPATH`, else `DT_RPATH`), as they stand there.
  public var runPath: [String] = []
  /// Whether there is a `DT_GNU_HASH` and a `DT_HASH` table.
  public var hasGNUHash = false
  public var hasSystemVHash = false
  /// Whether all functions are bound at start (`-z now`).
  public var bindsNow = false
  /// Whether relative relocations are packed (`DT_RELR`).
  public var hasPackedRelocations = false
  /// Symbols defined here that others can see; functions and objects.
  public var exported: [String] = []
  /// Symbols that other images have to define.
  public var imported: [String] = []

  public init() {}
}
