import FirstlightModel
import SystemSupport

/// The origin of a function's code.
package enum CodeOrigin: String, Sendable {
  case own, tests, dependency
}

/// The rule that separates a project's own code from its tests and dependencies by the path of the source file.
package struct OwnCode: Sendable {
  /// Folders of dependencies, anywhere in a project: SwiftPM's checkouts, CMake's `_deps`, and the two usual
  /// names for copies of other projects.
  private static let foreign: Set<TextBytes> = ["checkouts", "_deps", "vendor", "third_party"]
  private static let tests: Set<TextBytes> = ["test", "tests", "Tests"]
  /// Extensions of C and C++, whose tests often lie beside the code that they test.
  private static let clangEndings: Set<TextBytes> = ["c", "cc", "cpp", "cxx"]

  /// Absolute paths of the project's folders.
  package let roots: [String]
  private let own: [String]
  private let dependencies: [String]
  private let testPatterns: [String]
  private let base: String?

  /// - Parameters:
  ///   - own: patterns of the user's own files; all other files are dependencies. Empty: the folders decide.
  ///   - dependencies: patterns of the user's dependencies.
  ///   - tests: patterns of the user's tests, beside those that the names of folders and files show.
  ///   - base: the folder for relative patterns.
  package init(
    roots: [String], own: [String] = [], dependencies: [String] = [],
    tests: [String] = [], base: String? = nil
  ) {
    self.roots = roots
    self.own = own
    self.dependencies = dependencies
    testPatterns = tests
    self.base = base
  }

  /// The first candidate for which some recorded file is the project's own, or else the first candidate.
  ///
  /// - Parameter map: maps a recorded source file to its current path.
  package static func first(
    of candidates: [OwnCode], for profile: borrowing Profile, map: (String) -> String
  ) -> OwnCode? {
    first(
      of: candidates,
      files: profile.builds.lazy.flatMap { $0.build.guarded.lazy.compactMap(\.file) }, map: map)
  }

  /// The same for any source files of the program.
  package static func first(
    of candidates: [OwnCode], files: some Sequence<String>, map: (String) -> String
  ) -> OwnCode? {
    // A profile may lie in a folder above several projects: the earlier candidate counts, not the earlier file.
    let places = candidates.isEmpty ? [] : Set(texts: Set(texts: files).map { map($0.text) })
    return candidates.first { candidate in
      places.contains { candidate.origin(of: $0.text) == .own }
    } ?? candidates.first
  }

  /// - Parameter file: an absolute path.
  package func origin(of file: String) -> CodeOrigin {
    func fits(_ patterns: [String]) -> Bool {
      patterns.contains { Glob.matchesPlace($0, file, from: base) }
    }
    if fits(dependencies) { return .dependency }
    if fits(testPatterns) { return .tests }
    if !own.isEmpty { return fits(own) ? .own : .dependency }
    let inside = roots.lazy.compactMap { file.removing(prefix: $0 == "/" ? $0 : $0 + "/") }.first
    guard let inside else { return .dependency }
    let folders = inside.split(at: "/").dropLast()
    if folders.contains(where: { $0.begins(with: ".") || Self.foreign.contains($0) }) {
      return .dependency
    }
    let isInTests = folders.contains { Self.tests.contains($0) || $0.ends(with: "Tests") }
    return isInTests || Self.isTest(BaseName.of(file)) ? .tests : .own
  }

  /// Whether a file's name says that it is a test: `test_list.c`, `list_test.c`. Not `test.c`, which may be a program.
  private static func isTest(_ name: String) -> Bool {
    let parts = name.split(at: ".")
    guard parts.count > 1, let ending = parts.last, clangEndings.contains(ending) else {
      return false
    }
    return parts[0].begins(with: "test_")
      || ["_test", "_tests"].contains { parts[0].ends(with: $0) }
  }
}

extension [FunctionReport] {
  /// Gives functions without a file the origin of the other functions of their module.
  mutating func completeOrigins() {
    var modules: [TextBytes: CodeOrigin] = [:]
    for index in indices {
      guard let origin = self[index].origin else { continue }
      let module = self[index].module
      // One function of the project makes the whole module the project's own.
      if origin == .own || modules[module] == nil { modules[module] = origin }
    }
    for index in indices where self[index].origin == nil {
      self[index].origin = modules[self[index].module]
    }
  }
}

/// Headers of compilers and of the system. Their templates and inline functions are copied into a program but
/// are not in its source, so they cannot be deleted from it.
enum SystemHeaders {
  /// The folders of GCC, Clang and Debian's packages, as `gcc -v` and `clang -v` list them.
  private static let beginnings = ["/usr/include/", "/usr/lib/gcc/", "/usr/lib/llvm"]
  private static let folders: [StaticString] = ["/include/c++/", "/lib/clang/", "/usr/lib/swift/"]

  /// Whether a source path from debug information is such a header.
  static func hold(_ path: String) -> Bool {
    guard path.utf8.first == UInt8(ascii: "/") else { return false }
    return beginnings.contains { path.begins(with: $0) }
      || folders.contains { path.containsUTF8($0) }
  }
}
