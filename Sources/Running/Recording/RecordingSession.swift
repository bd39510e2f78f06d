import FirstlightModel
import ProcessControl
import ProfileFile
import SystemSupport

/// Runs a program and keeps the profile of what it recorded.
///
/// Signals that ask us to end wait until the profile is written.
package struct RecordingSession {
  private var runner: ProgramRunner
  private let spool: SpoolDirectory
  private let breakpoints: BreakpointLaunch?
  /// Of the profile.
  private let path: String
  /// Decides where the profile of a run goes instead; nil: nowhere.
  private let place: Place

  /// Called with the run, its profile and the requested path.
  package typealias Place = (RecordedRun, Profile, String) -> String?

  /// A run that is over.
  package struct Outcome {
    package let run: RecordedRun
    /// Nil: nothing was recorded. A failure says where the recording is.
    package let profile: Result<Profile?, Failure>
    /// Where the profile was written; nil: nowhere.
    package let path: String?
    /// Ignores requests to end from the run's end on, as long as this lives.
    package let signals: EndingSignals
  }

  /// - Parameters:
  ///   - environment: changes of the program's environment.
  ///   - breakpoints: how it is watched; nil: it records itself.
  ///   - isQuiet: whether to suppress progress output.
  ///   - place: where the profile goes; nil: it is not kept.
  package init(
    _ command: [String], to path: String, environment: [String: String] = [:],
    until: ReadinessCondition = .exit, timeout: Double? = nil,
    breakpoints: BreakpointLaunch? = nil, isQuiet: Bool = false,
    place: @escaping Place = { $2 }
  ) throws(Failure) {
    // A run may take long: check that the profile can be written before it starts.
    try ResultFile.checkWritable(path)
    self.path = path
    self.place = place
    self.breakpoints = breakpoints
    spool = try SpoolDirectory()
    runner = ProgramRunner(
      command: command, directory: spool.path, until: until, timeout: timeout,
      launch: breakpoints ?? PlainLaunch(), environment: environment, isQuiet: isQuiet)
  }

  /// Runs the program to its end and writes the profile.
  ///
  /// - Throws: `Failure` if it cannot be started.
  package mutating func run() throws(Failure) -> Outcome {
    let recorded: RecordedRun
    do throws(Failure) {
      recorded = try runner.run()
    } catch {
      spool.remove()
      throw error
    }
    let watched = breakpoints?.recording()
    let keeper = RecordingKeeper(
      path, wasAskedToEnd: recorded.wasAskedToEnd,
      rescue: RecordingRescue.make(recorded, watched: watched))
    let signals = try EndingSignals { keeper.take($0) }
    let profile: Result<Profile?, Failure>
    var written: String?
    do throws(Failure) {
      profile = .success(
        try Self.save(
          recorded, watched: watched, to: path, orIn: watched == nil ? nil : spool.path,
          place: {
            written = place($0, $1, $2)
            return written
          }))
      keeper.finish()
      spool.remove()
    } catch {
      keeper.finish()
      profile = .failure(
        Failure(
          error.kind, "\(error); the recording is in \(spool.path)",
          advice: watched == nil
            ? RecordingRescue.takeUp(spool.path) : "copy the profile from there"))
    }
    return Outcome(run: recorded, profile: profile, path: written, signals: signals)
  }

  /// Makes and writes the profile of a run; nil if nothing was recorded.
  ///
  /// - Parameter spool: where a recording that is nowhere else is kept if it cannot be written to
  ///   `path`.
  package static func save(
    _ recorded: RecordedRun, watched: BreakpointRecording? = nil, to path: String,
    orIn spool: String? = nil, place: Place = { $2 }
  ) throws(Failure) -> Profile? {
    let assembler = ProfileAssembler(run: recorded)
    let profile =
      if let watched { try assembler.profile(watched: watched) } else { try assembler.profile() }
    let isEmpty = recorded.recordedNothing(profile)
    if !isEmpty, let path = place(recorded, profile, path) {
      Terminal.progress("writing \(path)")
      do throws(Failure) {
        try ProfileFile.write(profile, to: path)
      } catch {
        // Breakpoint recordings have no segments on disk: keep the profile in the spool.
        if let spool { try ProfileFile.write(profile, to: "\(spool)/recording.flp") }
        throw error
      }
    }
    for problem in profile.runs.flatMap(\.problems) { Terminal.report("warning: \(problem)") }
    return isEmpty ? nil : profile
  }
}
