import FirstlightModel

/// The recorded use of one image.
package struct LibraryRun: Hashable, Sendable {
  /// Whether its functions were recorded; otherwise their use is unknown.
  package var isWatched = false
  /// Number of called functions, including initializers.
  package var functions = 0
  /// 4 KiB pages of code with these functions.
  package var codePages = 0
  /// Seconds from the start to the first call of one of its functions, except initializers and
  /// their callees; nil if there was none.
  package var firstUse: Double?
  /// Seconds that the loader took to map and relocate it; nil if not recorded.
  package var mapping: Double?
  package var relocating: Double?
  /// Seconds in its initializers, including callees; nil if not recorded.
  package var initializing: Double?

  package init() {}

  /// Sum of the recorded times, seconds.
  package var time: Double? {
    let parts = [mapping, relocating, initializing].compactMap { $0 }
    return parts.isEmpty ? nil : parts.reduce(0, +)
  }
}
