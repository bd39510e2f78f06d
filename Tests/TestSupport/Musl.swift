import Foundation
import Testing

/// musl as Debian's musl-tools bring it, in place of glibc.
package enum Musl {
  private static let folder = "/usr/lib/x86_64-linux-musl"

  package static let isHere = FileManager.default.fileExists(atPath: folder)

  /// Has clang build for it.
  package static let options = [
    "--target=x86_64-linux-musl", "-B\(folder)", "-L\(folder)", "-nostdlibinc",
    "-isystem", "/usr/include/x86_64-linux-musl", "-Wno-unused-command-line-argument",
  ]

  /// How programs are linked: in the middle as Swift's static Linux SDK does it, last with musl's loader.
  package static let links = [
    ["-static"], ["-static-pie"], ["-static-pie", "-Wl,--gc-sections"], [],
  ]

  /// The functions of its C library, and of the start files that compilers add to each program.
  package static func functions() throws -> Set<String> {
    try symbols(of: "\(folder)/libc.a", "--defined-only").union(["__dso_handle"])
  }

  /// The names that `llvm-nm` shows with an option.
  package static func symbols(of file: String, _ option: String) throws -> Set<String> {
    let names = try Command.check(["llvm-nm", "-j", "--quiet", option, file])
    return Set(names.split(separator: "\n").map(String.init))
  }
}
