import FirstlightModel

/// Libraries of the system or of a language's runtime, by file name. A process must have one copy
/// of each from its start: partial or late linking makes programs crash.
package enum RuntimeLibrary: Sendable {
  /// The C library and the loader, which depend on each other.
  case system
  /// Parts of the C library or of a compiler: threads, exceptions, locks.
  case companion
  /// Swift's libraries, which its compiler links itself, either all as shared libraries or all statically.
  case swift

  package init?(_ file: String) {
    let stem = file.firstRange(ofUTF8: ".so").map { String(file[..<$0.lowerBound]) } ?? file
    func begins(_ starts: String...) -> Bool { starts.contains { stem.begins(with: $0) } }
    if ["libc", "ld", "ld64"].contains(stem) || begins("ld-", "libc.musl") {
      self = .system
    } else if Self.companions.contains(stem) || begins("libnss_", "libclang_rt") {
      self = .companion
    } else if begins("libswift", "libFoundation", "lib_Foundation", "lib_Testing")
      || ["libdispatch", "libBlocksRuntime", "libTesting", "libXCTest"].contains(stem)
    {
      self = .swift
    } else {
      return nil
    }
  }

  private static let companions: Set<TextBytes> = [
    "libm", "libmvec", "libpthread", "libdl", "librt", "libresolv", "libutil", "libanl", "libnsl",
    "libthread_db", "libBrokenLocale", "libgcc_s", "libstdc++", "libc++", "libc++abi", "libunwind",
    "libatomic", "libgomp", "libomp", "libgfortran", "libquadmath", "libobjc", "libasan", "liblsan",
    "libtsan", "libubsan", "libhwasan",
  ]
}
