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
    _ command: [String], to path: String, environment: [String: String] = [:],
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
  /// - Parameter spool: receives a recording that exists nowhere else, if `path` cannot be written.
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

/// Protects a recording between the program's end and the end of its profile: termination signals wait until
/// the profile is written. The third signal ends the process at once, with the place of the recording.
package final class RecordingKeeper: Sendable {
  /// Describes the remains of an abandoned recording, or why there are none.
  package typealias Rescue = @Sendable () -> Failure

  /// The profile to be written.
  private let path: String
  private let rescue: Rescue
  private let state: Mutex<State>

  private struct State {
    var asked: Int
    var isWritten = false
  }

  /// Number of signals that end the process at once, including the one that ended the program.
  private static let insistence = 3

  package init(_ path: String, wasAskedToEnd: Bool, rescue: @escaping Rescue) {
    self.path = path
    self.rescue = rescue
    state = Mutex(State(asked: wasAskedToEnd ? 1 : 0))
  }

  /// Handles a signal.
  package func take(_ signal: Int32) {
    state.withLock { state in
      if state.isWritten { return }
      state.asked += 1
      if state.asked >= Self.insistence { abandon(signal) }
      if state.asked == Self.insistence - 1 {
        Terminal.notice("still writing \(path); the next signal stops at once")
      }
    }
  }

  /// The profile has been written: signals are ignored until the end.
  package func finish() { state.withLock { $0.isWritten = true } }

  private func abandon(_ signal: Int32) -> Never {
    let left = rescue()
    ResultFile.removeUnfinished()
    Terminal.report("error: stopped while writing \(path); \(left)")
    EndingSignals.end(by: signal)
  }
}

/// Saves a recording when the user stops firstlight before the profile is written.
///
/// An instrumented program's recordings are in the run's directory. A breakpoint recording is only
/// in memory: it is written with the symbol names, which are already known.
package enum RecordingRescue {
  package static func make(
    _ recorded: RecordedRun, watched: BreakpointRecording?
  ) -> RecordingKeeper.Rescue {
    let spool = recorded.directory
    guard let watched else {
      return { Failure(.data, "the recording is in \(spool)", advice: takeUp(spool)) }
    }
    let path = "\(spool)/recording.flp"
    // Both threads only read it.
    nonisolated(unsafe) let recording = watched
    return {
      do throws(Failure) {
        let profile = try ProfileAssembler(run: recorded).profile(
          watched: recording, detail: .symbols)
        try ProfileFile.write(profile, to: path)
        return Failure(
          .data, "the recording is saved as \(path), without source lines",
          advice: "next: firstlight order \(path)")
      } catch {
        return Failure(.data, "the recording is lost: \(error)")
      }
    }
  }

  /// The command that makes a profile of the recordings in a directory.
  package static func takeUp(_ directory: String) -> String {
    "next: firstlight record -o FILE.flp --directory \(directory)"
  }
}
