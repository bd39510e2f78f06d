import DebugInfo
import FirstlightModel
import ProcessControl

/// Compares the function times of one traced start of an old program and one of a new program.
package struct TracedDifference {
  let until: ReadinessCondition
  let arguments: [String]
  let timeout: Double
  let surroundings: ProgramSurroundings

  package init(
    until: ReadinessCondition, arguments: [String], timeout: Double,
    surroundings: ProgramSurroundings
  ) {
    self.until = until
    self.arguments = arguments
    self.timeout = timeout
    self.surroundings = surroundings
  }

  /// Traces a start of each program.
  ///
  /// Throws if programs cannot be traced here or have no functions to watch.
  package func timelines(
    old: String, new: String
  ) throws(Failure) -> (before: Timeline, after: Timeline) {
    (try watch(old, as: new), try watch(new, as: new))
  }

  /// - Parameter name: the displayed path of the program. Functions are matched by the image's name too, which
  ///   may differ in the old binary.
  private func watch(_ program: String, as name: String) throws(Failure) -> Timeline {
    var runner = LaunchRunner(
      command: [program] + arguments, until: until, runs: 1, isCold: false, timeout: timeout,
      callsOf: [], surroundings: surroundings, tracesLookups: false)
    guard var profile = try runner.run().calls?.profile else {
      throw Failure(.data, "\(program): its calls could not be traced")
    }
    for index in profile.builds.indices where profile.builds[index].build.kind == .executable {
      profile.builds[index].build.path = name
    }
    for index in profile.processes.indices {
      let own = profile.processes[index].path
      profile.processes[index].path = name
      for run in profile.processes[index].launch?.initializers.indices ?? 0..<0
      where profile.processes[index].launch?.initializers[run].image == own {
        profile.processes[index].launch?.initializers[run].image = name
      }
    }
    return try Timeline(of: profile, demangle: Demangler.demangle)
  }
}
