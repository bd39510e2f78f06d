/// Libraries of the system or of a language's runtime, by file name. A process has one copy of each,
/// from its start: linking one in part, or late, gives programs that crash.
package enum RuntimeLibrary: Sendable {
  /// The C library and the loader, which are parts of one another.
  case system
  /// What belongs to the C library or to a compiler: threads, exceptions, locks.
  case companion
  /// Swift's, which its compiler links by itself, all as libraries or all statically.
  case swift

  package init?(_ file: String) {
    let stem = file.firstRange(of: ".so").map { String(file[..<$0.lowerBound]) } ?? file
    func begins(_ starts: String...) -> Bool { starts.contains { stem.hasPrefix($0) } }
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

  private static let companions: Set<String> = [
    "libm", "libmvec", "libpthread", "libdl", "librt", "libresolv", "libutil", "libanl", "libnsl",
    "libthread_db", "libBrokenLocale", "libgcc_s", "libstdc++", "libc++", "libc++abi", "libunwind",
    "libatomic", "libgomp", "libomp", "libgfortran", "libquadmath", "libobjc", "libasan", "liblsan",
    "libtsan", "libubsan", "libhwasan",
  ]
}
