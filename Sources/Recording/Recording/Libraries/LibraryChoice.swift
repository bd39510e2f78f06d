import DebugInfo
import FirstlightModel
import Glibc
import SystemSupport

/// Selects the shared libraries to record beside the program: those that the user named.
package struct LibraryChoice {
  /// Patterns of paths or of file names.
  package let globs: [String]
  private var unused: [String]
  /// The program's own libraries that the user did not name, in the order of need.
  private var left: [String] = []

  package init(_ globs: [String]) {
    self.globs = globs
    unused = globs
  }

  package func isNamed(_ path: String) -> Bool {
    globs.contains { Glob.matchesFile($0, path) }
  }

  /// Records that the program mapped a file.
  package mutating func saw(_ path: String) {
    unused.removeAll { Glob.matchesFile($0, path) }
  }

  /// Records that the program needs a library.
  mutating func needs(_ path: String) {
    if !isNamed(path), !Self.isInstalled(path), !left.contains(path) { left.append(path) }
  }

  /// Reasons why fewer libraries were recorded than the user may expect.
  package var problems: [String] {
    var problems = unused.map {
      "--image '\($0)' matches no file that the program loaded, so nothing was recorded for it"
    }
    if let first = left.first.map(BaseName.of) {
      problems.append(
        left.count == 1
          ? "the functions of \(first) were not recorded; to record them too, add --image '\(first)'"
          : "the functions of \(left.count) libraries were not recorded ("
            + left.prefix(3).map(BaseName.of).joined(separator: ", ")
            + (left.count > 3 ? ", ..." : "") + "); to record one too, add --image NAME")
    }
    return problems
  }

  /// Whether a library belongs to the system or a toolchain, not to the program.
  static func isInstalled(_ path: String) -> Bool {
    ["/lib", "/usr/", "/opt/", "/nix/", "/gnu/", "/snap/"].contains { path.begins(with: $0) }
      || path.containsUTF8("/usr/lib/swift/")
  }
}
