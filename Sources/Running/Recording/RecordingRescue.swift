import FirstlightModel
import ProcessControl
import ProfileFile

/// What is done with a recording whose profile nobody waits for.
///
/// What the program recorded itself lies in the run's directory. What was watched through breakpoints is
/// in our memory alone: it is written with the names of symbols, which are known already.
package enum RecordingRescue {
  package static func make(
    _ recorded: RecordedRun, watched: BreakpointRecording?
  ) -> RecordingKeeper.Rescue {
    let spool = recorded.directory
    guard let watched else {
      return { Failure(.data, "the recording is kept in \(spool)", advice: takeUp(spool)) }
    }
    let path = "\(spool)/recording.flp"
    // Read only, by both threads.
    nonisolated(unsafe) let recording = watched
    return {
      do throws(Failure) {
        let profile = try ProfileAssembler(run: recorded).profile(
          watched: recording, detail: .symbols)
        try ProfileFile.write(profile, to: path)
        return Failure(
          .data, "the recording is kept as \(path), without source lines",
          advice: "firstlight order \(path)")
      } catch {
        return Failure(.data, "the recording is lost: \(error)")
      }
    }
  }

  /// The command that makes a profile of what a program left in a directory.
  package static func takeUp(_ directory: String) -> String {
    "firstlight record -o FILE.flp --directory \(directory)"
  }
}
