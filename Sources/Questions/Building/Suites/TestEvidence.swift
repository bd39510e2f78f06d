import FirstlightModel
import Glibc
import ProcessControl
import ProfileFile
import Recording
import SystemSupport

/// Decides by the recorded calls whether tests of a Swift package ran: if a filter excludes all
/// tests, both testing libraries still succeed, after creating the test cases and listing the tests.
package enum TestEvidence {
  /// Calls of XCTest for every test case, even if it is filtered out.
  private static let ceremony = [".init(name: ", ".__allocating_init(name: ", "deinit"]

  /// Whether any code of the project ran except for listing the tests. Also true if none of its
  /// source files is known, since that proves nothing.
  ///
  /// - Parameter project: absolute path of its folder.
  package static func ran(in profile: Profile, project: String) -> Bool {
    var isKnown = false
    for recorded in profile.builds {
      for (function, guardIndex) in zip(recorded.build.guarded, recorded.build.entryGuards) {
        guard let file = function.file, isProjects(file, project) else { continue }
        isKnown = true
        let isCalled = recorded.coverage[Int(guardIndex)].isCalled
        if isCalled, !isCeremony(function.demangledName) { return true }
      }
    }
    return !isKnown
  }

  /// Whether the file belongs to the project: SwiftPM also fetches other packages, and generates
  /// the test programs.
  private static func isProjects(_ file: String, _ project: String) -> Bool {
    guard let inside = file.removing(prefix: project == "/" ? project : project + "/") else {
      return false
    }
    return !inside.split(at: "/").dropLast().contains {
      $0 == "checkouts" || $0.ends(with: ".derived")
    }
  }

  private static func isCeremony(_ name: String) -> Bool {
    name.begins(with: "variable initialization expression of ")
      || ceremony.contains { name.containsUTF8($0) }
  }
}
