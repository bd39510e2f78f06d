import FirstlightModel

/// Whether tests of a Swift package ran, by what was called: where a filter leaves none, both
/// testing libraries end well, after they have made the test cases and read the list of tests.
package enum TestEvidence {
  /// What XCTest calls of every test case, filtered or not.
  private static let ceremony = [".init(name: ", ".__allocating_init(name: ", "deinit"]

  /// Whether any code of the project ran but what making the list of tests runs. True also if none of its
  /// source files is known, since that proves nothing.
  ///
  /// - Parameter project: its folder, an absolute path.
  package static func ran(in profile: Profile, project: String) -> Bool {
    var isKnown = false
    for recorded in profile.builds {
      for (function, guardIndex) in zip(recorded.build.functions, recorded.build.entryGuards) {
        guard let file = function.file, isProjects(file, project) else { continue }
        isKnown = true
        let isCalled = recorded.coverage[Int(guardIndex)].isCalled
        if isCalled, !isCeremony(function.demangledName) { return true }
      }
    }
    return !isKnown
  }

  /// Whether it was written for this project: SwiftPM fetches other packages, and makes the programs that run
  /// tests.
  private static func isProjects(_ file: String, _ project: String) -> Bool {
    guard file.hasPrefix(project == "/" ? project : project + "/") else { return false }
    return !file.dropFirst(project.count).split(separator: "/").dropLast().contains {
      $0 == "checkouts" || $0.hasSuffix(".derived")
    }
  }

  private static func isCeremony(_ name: String) -> Bool {
    name.hasPrefix("variable initialization expression of ")
      || ceremony.contains { name.contains($0) }
  }
}
