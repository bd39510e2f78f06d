import FirstlightModel
import Glibc
import Synchronization
import SystemSupport

/// Turns linker names into readable names.
///
/// The demanglers of the Swift and C++ runtimes have no limits: a name of a few kilobytes can nest deeper than
/// a stack, or expand to gigabytes of text. Long names are therefore demangled on a large stack. The text is
/// not limited: a file with such a name takes as long here as in other tools (Documentation/Threats.md).
package enum Demangler {
  /// Longer names stay mangled. The longest name in the Swift toolchain's binaries has 1,897 bytes.
  static let longestName = 4096
  /// Longer texts are not shown. The longest text from those names has 20 KB.
  private static let longestText = 128 << 10

  /// The readable name, or `mangled` itself if its mangling is unknown. Known are Swift (by the
  /// Swift runtime), Rust (`RustName`), and C++ and older Rust (by the C++ runtime, if it is
  /// loaded).
  package static func demangle(_ mangled: String) -> String {
    guard isMangled(mangled) else { return mangled }
    if fitsAnyStack(mangled) { return demangled(mangled) ?? mangled }
    let text = Mutex(mangled)
    LargeStack.run {
      let found = demangled(mangled) ?? mangled
      text.withLock { $0 = found }
    }
    return text.withLock { $0 }
  }

  /// Demangles many names, in their order, on all processors.
  package static func demangle(_ mangled: [String]) -> [String] {
    let long = Mutex<[Int]>([])
    var texts = Parallel.map(mangled.count, batch: 256) { index in
      let name = mangled[index]
      guard isMangled(name) else { return name }
      if fitsAnyStack(name) { return demangled(name) ?? name }
      long.withLock { $0.append(index) }
      return name
    }
    let places = long.withLock { $0 }
    if places.isEmpty { return texts }
    let found = Mutex<[String?]>([])
    LargeStack.run {
      let answers = places.map { demangled(mangled[$0]) }
      found.withLock { $0 = answers }
    }
    for (place, text) in zip(places, found.withLock { $0 }) { texts[place] = text ?? texts[place] }
    return texts
  }

  private static func isMangled(_ name: String) -> Bool {
    let count = name.utf8.count
    return count > 2 && count <= longestName
      && (name.isSwiftSymbol || isItanium(name) || isRust(name))
  }

  /// Whether a name is short enough to demangle on any thread's stack, 512 KiB on Dispatch's: a level
  /// of the Swift demangler takes one letter and about a KiB, of the C++ demangler a third of that.
  private static func fitsAnyStack(_ name: String) -> Bool {
    // `RustName` has its own limits.
    isRust(name) || name.utf8.count <= (isItanium(name) ? 512 : 256)
  }

  /// Whether the C++ runtime's demangler may know a linker name.
  static func isItanium(_ mangled: String) -> Bool {
    mangled.begins(with: "_Z")
  }

  /// Whether a linker name uses Rust's current mangling.
  static func isRust(_ mangled: String) -> Bool { mangled.begins(with: "_R") }

  /// Nil if the name is not mangled, or expands too much.
  private static func demangled(_ mangled: String) -> String? {
    if isRust(mangled) { return RustName.demangle(mangled) }
    // The caller must free the memory that the runtimes' demanglers return.
    return mangled.withCString { name in
      if isItanium(mangled) {
        var status: CInt = 0
        return take(cxxDemangle?(name, nil, nil, &status))
      }
      return take(swiftDemangle(name, UInt(mangled.utf8.count), nil, nil, 0))
    }
  }

  private static func take(_ text: UnsafeMutablePointer<CChar>?) -> String? {
    guard let text else { return nil }
    defer { free(text) }
    return strlen(text) <= longestText ? String(cString: text) : nil
  }

  /// `__cxa_demangle` of the C++ runtime (Itanium C++ ABI, section 3.4), which the Swift runtime
  /// loads. Looking it up at run time avoids linking, which would need the development files.
  private static let cxxDemangle = dlsym(nil, "__cxa_demangle").map {
    unsafeBitCast(
      $0,
      to: (@convention(c) (
        UnsafePointer<CChar>?, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?,
        UnsafeMutablePointer<CInt>?
      ) -> UnsafeMutablePointer<CChar>?).self)
  }
}

/// `swift_demangle` of the Swift runtime (stdlib/public/SwiftDemangle): a copy for the caller to
/// free, or nil for other names.
@_silgen_name("swift_demangle")
private func swiftDemangle(
  _ name: UnsafePointer<CChar>?, _ count: UInt, _ buffer: UnsafeMutablePointer<CChar>?,
  _ bufferSize: UnsafeMutablePointer<Int>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
