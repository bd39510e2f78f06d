import Glibc

/// Turns linker names into names for people.
public enum Demangler {
  /// The name for people, or `mangled` itself if it isn't mangled in a way known here: Swift (by
  /// the Swift runtime), and C++ and older Rust (by the C++ runtime, where one is loaded).
  public static func demangle(_ mangled: String) -> String {
    demangled(mangled) ?? mangled
  }

  /// Demangles many names, in their order, on all processors.
  public static func demangle(_ mangled: [String]) -> [String] {
    Parallel.map(mangled.count, batch: 256) { demangle(mangled[$0]) }
  }

  /// Whether a linker name is one that Swift made.
  public static func isSwift(_ mangled: String) -> Bool {
    let name = mangled.utf8
    return name.starts(with: "$s".utf8) || name.starts(with: "$S".utf8)
      || name.starts(with: "_$s".utf8) || name.starts(with: "_$S".utf8)
      || name.starts(with: "$e".utf8) || name.starts(with: "_T0".utf8)
  }

  /// Nil if the name isn't mangled.
  private static func demangled(_ mangled: String) -> String? {
    var name = mangled
    return name.withUTF8 { utf8 -> String? in
      guard utf8.count > 2 else { return nil }
      return utf8.withMemoryRebound(to: CChar.self) { name -> String? in
        // The runtime's demanglers give memory that is ours to free.
        if utf8[0] == 0x5f, utf8[1] == 0x5a || utf8[1] == 0x52 {
          guard let demangler = cxaDemangle else { return nil }
          return mangled.withCString { name in
            var status: CInt = 0
            return take(demangler(name, nil, nil, &status))
          }
        }
        guard isSwift(mangled) else { return nil }
        return take(swiftDemangle(name.baseAddress, UInt(name.count), nil, nil, 0))
      }
    }
  }

  private static func take(_ text: UnsafeMutablePointer<CChar>?) -> String? {
    guard let text else { return nil }
    defer { free(text) }
    return String(cString: text)
  }

  /// `__cxa_demangle` of the C++ runtime (Itanium C++ ABI, section 3.4). The Swift runtime loads
  /// one; looking it up keeps us from needing its development files to link.
  private static let cxaDemangle:
    (
      @convention(c) (
        UnsafePointer<CChar>, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?,
        UnsafeMutablePointer<CInt>
      ) -> UnsafeMutablePointer<CChar>?
    )? = {
      guard let symbol = dlsym(nil, "__cxa_demangle") else { return nil }
      return unsafeBitCast(
        symbol,
        to: (@convention(c) (
          UnsafePointer<CChar>, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?,
          UnsafeMutablePointer<CInt>
        ) -> UnsafeMutablePointer<CChar>?).self)
    }()
}

/// `swift_demangle` of the Swift runtime (stdlib/public/SwiftDemangle): a copy for the caller to
/// free, or nil if the name isn't Swift's.
@_silgen_name("swift_demangle")
private func swiftDemangle(
  _ name: UnsafePointer<CChar>?, _ count: UInt, _ buffer: UnsafeMutablePointer<CChar>?,
  _ bufferSize: UnsafeMutablePointer<UInt>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
