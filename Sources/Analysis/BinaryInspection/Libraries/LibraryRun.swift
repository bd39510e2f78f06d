/// What a recorded run showed of one image.
package struct LibraryRun: Hashable, Sendable {
  /// Whether its functions were watched; else nothing is known of its use.
  package var isWatched = false
  /// Functions called, initializers included.
  package var functions = 0
  /// 4 KiB pages of code that these functions lie on.
  package var codePages = 0
  /// Seconds from the start to the first call of a function of its own, initializers and what they
  /// call apart; nil: none was called.
  package var firstUse: Double?
  /// Seconds that the loader mapped it and relocated it; nil: not recorded.
  package var mapping: Double?
  package var relocating: Double?
  /// Seconds that its initializers took, what they called included; nil: not recorded.
  package var initializing: Double?

  package init() {}

  /// Seconds in all, of what was recorded.
  package var time: Double? {
    let parts = [mapping, relocating, initializing].compactMap { $0 }
    return parts.isEmpty ? nil : parts.reduce(0, +)
  }
}
