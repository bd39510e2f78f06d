import FirstlightModel
import ProcessControl
import ProfileFile

/// Saves a recording when the user stops firstlight before the profile is written.
///
/// The recordings of an instrumented program are in the run's directory. A breakpoint recording is only
/// in memory: it is written with the symbol names, which are known already.
package enum RecordingRescue {
  package static func make(
    _ recorded: RecordedRun, watched: BreakpointRecording?
  ) -> RecordingKeeper.Rescue {
    let spool = recorded.directory
    guard let watched else {
      return { Failure(.data, "the recording is in \(spool)", advice: takeUp(spool)) }
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
