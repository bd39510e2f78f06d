import DebugInfo

/// What the loader has for debuggers (`r_brk` and `_r_debug` of <link.h>).
package enum LoaderPlaces {
  /// The link-time address of the empty function that glibc and musl call whenever they have mapped
  /// or unmapped libraries; 0 if there is none.
  ///
  /// - Parameter state: set to the address of `_r_debug`, or 0.
  package static func find(_ path: String, _ state: UnsafeMutablePointer<UInt64>) -> UInt64 {
    guard let loader = try? DebugImage(path: path) else { return 0 }
    state.pointee = loader.dynamicSymbol(named: "_r_debug") ?? 0
    return loader.functions(named: ["_dl_debug_state"]).first?.address ?? 0
  }
}
