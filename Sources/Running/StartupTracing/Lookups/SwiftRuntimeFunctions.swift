import DebugInfo

/// Functions of the Swift runtime that answer whether a type conforms to a protocol (its
/// ProtocolConformance.cpp). All have the type and the protocol as first arguments, and return null or the
/// witness table.
enum SwiftRuntimeFunctions {
  /// The functions that all look-ups pass; none calls another. 6.0 lacks the last one.
  private static let names: Set = [
    "swift_conformsToProtocol", "swift_conformsToProtocol2", "swift_conformsToProtocolCommon",
    "swift_conformsToProtocolWithExecutionContext",
  ]

  static func lookups(_ image: DebugImage) -> [UInt64] {
    image.functions(named: names).map(\.address)
  }

  /// Whether functions around them answer from a table first (`optimize`, `CSupport/FirstlightConformances`).
  static func hasTable(_ image: DebugImage) -> Bool {
    !image.functions(named: Set(names.map { "__wrap_" + $0 })).isEmpty
  }

  /// Adds an answer to the cache. The runtime calls it at the end of a scan and only there, so a look-up that
  /// found its answer in the cache does not pass it. A local symbol: stripped runtimes lack it.
  static func scans(_ image: DebugImage) -> [UInt64] {
    image.functionSymbols.filter { $0.name.hasPrefix("_ZN16ConformanceState11cacheResult") }
      .map(\.address)
  }
}
