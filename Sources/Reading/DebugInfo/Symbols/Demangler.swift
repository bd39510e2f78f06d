import FirstlightDemangling
import FirstlightModel
import Glibc
import Synchronization

/// Turns linker names into names for people.
///
/// Nothing vouches for a name: files come from anywhere. One that could take much time, memory or stack
/// is demangled in a child process that has limits (`DoubtfulNames`), and one that takes too much stays
/// as it is, as do all of more than `NameCost.longestName` bytes.
package enum Demangler {
  /// The name for people, or `mangled` itself if it isn't mangled in a way known here: Swift (by
  /// the Swift runtime), Rust (`RustName`), and C++ and older Rust (by the C++ runtime, where one is
  /// loaded).
  package static func demangle(_ mangled: String) -> String {
    switch NameCost(mangled) {
    case .nothing: mangled
    case .little: demangled(mangled) ?? mangled
    case .doubtful: DoubtfulNames.demangle([mangled]).first?.text ?? mangled
    }
  }

  /// Demangles many names, in their order, on all processors.
  package static func demangle(_ mangled: [String]) -> [String] {
    let costs = Parallel.map(mangled.count, batch: 1024) { NameCost(mangled[$0]) }
    let doubtful = costs.indices.filter { costs[$0] == .doubtful }
    @Sendable func easy() -> [String] {
      Parallel.map(mangled.count, batch: 256) { index in
        costs[index] == .little ? demangled(mangled[index]) ?? mangled[index] : mangled[index]
      }
    }
    guard !doubtful.isEmpty else { return easy() }
    let texts = Mutex<[String]>([])
    let found = Mutex<[(index: Int, text: String)]>([])
    Parallel.forEach(2, batch: 1) { part in
      if part.lowerBound == 0 {
        let answers = DoubtfulNames.demangle(doubtful.map { mangled[$0] })
        found.withLock { $0 = answers }
      } else {
        let answers = easy()
        texts.withLock { $0 = answers }
      }
    }
    var result = texts.withLock { $0 }
    for answer in found.withLock({ $0 }) { result[doubtful[answer.index]] = answer.text }
    return result
  }

  /// Whether a linker name is one that Swift made.
  package static func isSwift(_ mangled: String) -> Bool {
    mangled.begins(with: "$s") || mangled.begins(with: "$S") || mangled.begins(with: "_$s")
      || mangled.begins(with: "_$S") || mangled.begins(with: "$e") || mangled.begins(with: "_T0")
  }

  /// Whether a linker name is one that the C++ runtime's demangler may know.
  static func isItanium(_ mangled: String) -> Bool {
    mangled.begins(with: "_Z")
  }

  /// Whether a linker name is one that Rust's compiler made, as it does now.
  static func isRust(_ mangled: String) -> Bool { mangled.begins(with: "_R") }

  /// Nil if the name isn't mangled, or stands for too much.
  private static func demangled(_ mangled: String) -> String? {
    if isRust(mangled) { return RustName.demangle(mangled) }
    // The runtime's demanglers give memory that is ours to free.
    return mangled.withCString { name in
      if isItanium(mangled) {
        var status: CInt = 0
        return take(demanglers.cxx?(name, nil, nil, &status))
      }
      return take(demanglers.swift(name, mangled.utf8.count, nil, nil, 0))
    }
  }

  private static func take(_ text: UnsafeMutablePointer<CChar>?) -> String? {
    guard let text else { return nil }
    defer { free(text) }
    return strlen(text) <= Int(FL_LONGEST_TEXT) ? String(cString: text) : nil
  }

  /// `swift_demangle` of the Swift runtime (stdlib/public/SwiftDemangle), and `__cxa_demangle` of the C++
  /// runtime (Itanium C++ ABI, section 3.4). The Swift runtime loads one; looking it up keeps us from
  /// needing its development files to link.
  static let demanglers = fl_demanglers(
    swift: { swiftDemangle($0, UInt($1), $2, $3, $4) },
    cxx: dlsym(nil, "__cxa_demangle").map { unsafeBitCast($0, to: fl_cxx_demangler.self) })
}

/// `swift_demangle` of the Swift runtime (stdlib/public/SwiftDemangle): a copy for the caller to
/// free, or nil if the name isn't Swift's.
@_silgen_name("swift_demangle")
private func swiftDemangle(
  _ name: UnsafePointer<CChar>?, _ count: UInt, _ buffer: UnsafeMutablePointer<CChar>?,
  _ bufferSize: UnsafeMutablePointer<Int>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
