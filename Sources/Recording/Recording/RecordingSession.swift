import FirstlightModel
import Glibc
import ProcessControl
import ProfileFile
import Synchronization
import SystemSupport

/// Runs a program and writes its profile.
///
/// Termination signals wait until the profile is written.
package struct RecordingSession {
  private var runner: ProgramRunner
  private let spool: SpoolDirectory
  private let breakpoints: BreakpointLaunch?
  /// Path of the profile.
  private let path: String
  /// Chooses another path for a run's profile; nil discards it.
  private let place: Place

  /// Called with the run, its profile and the requested path.
  package typealias Place = (RecordedRun, Profile, String) -> String?

  /// A finished run.
  package struct Outcome {
    package let run: RecordedRun
    /// Nil if nothing was recorded. A failure names the place of the recording.
    package let profile: Result<Profile?, Failure>
    /// Path of the written profile; nil if it was not written.
    package let path: String?
    /// Ignores termination signals from the run's end until released.
    package let signals: EndingSignals
  }

  /// - Parameters:
  ///   - environment: changes of the program's environment.
  ///   - breakpoints: the breakpoint recorder; nil if the program records itself.
  ///   - isQuiet: whether to suppress progress output.
  ///   - place: chooses the profile's path; nil keeps the requested path.
  package init(
    _ command: [String], to path: String, environment: [TextBytes: String] = [:],
    until: ReadinessCondition = .exit, timeout: Double? = nil,
    breakpoints: BreakpointLaunch? = nil, isQuiet: Bool = false,
    place: @escaping Place = { $2 }
  ) throws(Failure) {
    // A run may take long: check that the profile can be written before the run.
    try ResultFile.checkWritable(path)
    if breakpoints == nil { try NakedFunctions.refuse(command[0]) }
    self.path = path
    self.place = place
    self.breakpoints = breakpoints
    spool = try SpoolDirectory()
    try breakpoints?.record(into: spool.path)
    runner = ProgramRunner(
      command: command, directory: spool.path, until: until, timeout: timeout,
      launch: breakpoints ?? PlainLaunch(), environment: environment, isQuiet: isQuiet)
  }

  /// Runs the program to its end and writes the profile.
  ///
  /// - Throws: `Failure` if the program cannot be started.
  package mutating func run() throws(Failure) -> Outcome {
    let recorded: RecordedRun
    do throws(Failure) {
      recorded = try runner.run()
    } catch {
      spool.remove()
      throw error
    }
    let keeper = RecordingKeeper(path, spool.path, wasAskedToEnd: recorded.wasAskedToEnd)
    let signals = try EndingSignals { keeper.take($0) }
    let profile: Result<Profile?, Failure>
    var written: String?
    do throws(Failure) {
      profile = .success(
        try Self.save(
          recorded, from: spool, open: breakpoints?.images, to: path,
          place: {
            written = place($0, $1, $2)
            return written
          }))
    } catch {
      profile = .failure(error)
    }
    keeper.finish()
    return Outcome(run: recorded, profile: profile, path: written, signals: signals)
  }

  /// Runs a program to its end, and leaves its recordings in a spool.
  ///
  /// - Throws: `Failure` if the program cannot be started.
  package static func record(
    _ command: [String], into spool: String, environment: [TextBytes: String] = [:],
    until: ReadinessCondition = .exit, timeout: Double? = nil, breakpoints: BreakpointLaunch? = nil
  ) throws(Failure) -> RecordedRun {
    if breakpoints == nil { try NakedFunctions.refuse(command[0]) }
    try breakpoints?.record(into: spool)
    var runner = ProgramRunner(
      command: command, directory: spool, until: until, timeout: timeout,
      launch: breakpoints ?? PlainLaunch(), environment: environment)
    runner.isShared = true
    let run = try runner.run()
    for problem in run.missing.problems { Terminal.report("warning: \(problem)") }
    return run
  }

  /// Makes and writes the profile of a run, and removes its recording unless that fails.
  static func save(
    _ recorded: RecordedRun, from spool: SpoolDirectory, open: BreakpointImages?, to path: String,
    place: Place = { $2 }
  ) throws(Failure) -> Profile? {
    do throws(Failure) {
      let profile = try save(recorded, open: open, to: path, place: place)
      spool.remove()
      return profile
    } catch {
      throw Failure(
        error.kind, "\(error); the recording is in \(spool.path)",
        advice: RecordingKeeper.takeUp(spool.path))
    }
  }

  /// Makes and writes the profile of a run; nil if nothing was recorded.
  ///
  /// - Parameter open: files that the recorder holds open.
  package static func save(
    _ recorded: RecordedRun, open: BreakpointImages? = nil, to path: String,
    place: Place = { $2 }
  ) throws(Failure) -> Profile? {
    let profile = try ProfileAssembler(run: recorded, open: open).profile()
    let isEmpty = recorded.recordedNothing(profile)
    if !isEmpty, let path = place(recorded, profile, path) {
      Terminal.progress("writing \(path)")
      try ProfileFile.write(profile, to: path)
    }
    for problem in profile.runs.flatMap(\.problems) { Terminal.report("warning: \(problem)") }
    return isEmpty ? nil : profile
  }
}
