import FirstlightModel

/// Compares two profiles by their sets of called functions.
///
/// Functions of one build match by guard. Functions of different builds match by linker name, and by file too
/// if the name is local. Runs, counts and moments in the result are the first profile's.
package enum CoverageAlgebra {
  /// The first profile with only those functions called that the second one called too.
  package static func intersection(_ a: Profile, _ b: Profile) -> Profile {
    keep(in: a, calledBy: b, wanted: true)
  }

  /// The first profile with only those functions called that the second one did not call.
  package static func difference(_ a: Profile, _ b: Profile) -> Profile {
    keep(in: a, calledBy: b, wanted: false)
  }

  private struct Key: Hashable {
    var name: String
    var file: String?

    /// Nil if the function cannot be recognised in another build.
    init?(_ function: Function) {
      guard !function.name.isEmpty else { return nil }
      name = function.name
      file = function.isLocal || !function.name.isSwiftSymbol ? function.file : nil
    }
  }

  private static func keep(in a: Profile, calledBy b: Profile, wanted: Bool) -> Profile {
    var called: Set<Key> = []
    for recorded in b.builds {
      for (index, function) in recorded.build.functions.enumerated() {
        if recorded.isCalled(function: index), let key = Key(function) { called.insert(key) }
      }
    }
    var result = a
    for index in result.builds.indices {
      let build = result.builds[index].build
      let same = b.builds.first {
        $0.build.buildID == build.buildID && $0.build.recorder == build.recorder
          && $0.coverage.count == result.builds[index].coverage.count
      }
      for guardIndex in result.builds[index].coverage.indices
      where result.builds[index].coverage[guardIndex].isCalled {
        var isCalled = same?.coverage[guardIndex].isCalled ?? false
        if !isCalled, let function = build.function(ofGuard: UInt32(guardIndex)),
          let key = Key(build.functions[function]), called.contains(key)
        {
          isCalled = true
        }
        if isCalled != wanted { result.builds[index].coverage[guardIndex] = GuardCoverage() }
      }
    }
    for index in result.processes.indices {
      let builds = result.builds
      let process = result.processes[index]
      if process.isTraceLeftOut { continue }
      result.processes[index] = process.keepingCalls {
        builds[Int($0.build)].coverage[Int($0.guardIndex)].isCalled
      }
    }
    return result
  }
}
