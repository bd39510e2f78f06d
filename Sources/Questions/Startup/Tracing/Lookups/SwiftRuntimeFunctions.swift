import DebugInfo
import FirstlightTracer
import Glibc
import SystemSupport

/// Functions of the Swift runtime that answer whether a type conforms to a protocol (its
/// ProtocolConformance.cpp). All have the type and the protocol as first arguments, and return null or the
/// witness table.
enum SwiftRuntimeFunctions {
  /// The functions that all look-ups pass; none calls another. Swift 6.0 lacks the last one.
  private static let names = [
    "swift_conformsToProtocol", "swift_conformsToProtocol2", "swift_conformsToProtocolCommon",
    "swift_conformsToProtocolWithExecutionContext",
  ]

  static func lookups(_ image: DebugImage) -> [UInt64] {
    image.symbols.named(names).map(\.address)
  }

  /// Whether wrappers of these functions answer from an index first (`optimize`, `CSupport/FirstlightConformances`).
  static func hasIndex(_ image: DebugImage) -> Bool {
    !image.symbols.named(names.map { "__wrap_" + $0 }).isEmpty
  }

  /// The function that adds an answer to the cache. The runtime calls it only at the end of a scan, so a look-up
  /// that found its answer in the cache does not pass it. A local symbol: stripped runtimes lack it.
  static func scans(_ image: DebugImage) -> [UInt64] {
    image.symbols.all.filter { $0.name.begins(with: "_ZN16ConformanceState11cacheResult") }
      .map(\.address)
  }
}
