import FirstlightModel
import LaunchTimeline
import ProcessControl
import SystemSupport

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

  /// Writes the difference, and beside it the start-up flame graph of each program: `x.html`, `x.old.html`,
  /// `x.new.html`.
  ///
  /// Throws if programs cannot be traced here or have no functions to watch, or if a file cannot be written.
  ///
  /// - Parameter write: writes a text to a path.
  package func write(
    old: String, new: String, to path: String,
    with write: (_ text: String, _ path: String?) throws(Failure) -> Void
  ) throws(Failure) {
    let before = try watch(old, as: new)
    let after = try watch(new, as: new)
    let difference = try TimelineDifference(before: before, after: after)
    try write(TimelineRendering.page(difference), path)
    // There are no files beside a device or a pipe.
    guard ResultFile.isFile(path) else { return }
    let stem = path.hasSuffix(".html") ? String(path.dropLast(5)) : path
    try write(TimelineRendering.text(before, as: .html), stem + ".old.html")
    try write(TimelineRendering.text(after, as: .html), stem + ".new.html")
  }

  /// - Parameter name: the displayed path of the program. Functions are matched by the image's name too, which
  ///   may differ in the old binary.
  private func watch(_ program: String, as name: String) throws(Failure) -> Timeline {
    var runner = LaunchRunner(
      command: [program] + arguments, until: until, runs: 1, isCold: false, timeout: timeout,
      callsOf: [], surroundings: surroundings)
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
    return try TimelineRendering.timeline(of: profile)
  }
}
