import DebugInfo
import FirstlightModel
import LaunchTimeline
import ReportFormats
import SystemSupport
import TextFormatting

/// A profile in memory as a timeline in any form: what `timeline` and `launch` write.
package enum TimelineRendering {
  /// - Parameter process: a process id, or its number in the profile, from 1; nil is all.
  /// - Throws: `Failure` of kind `data` if the profile is not of one run, or has no traces.
  package static func timeline(of profile: Profile, process: Int? = nil) throws(Failure) -> Timeline
  {
    var chosen = profile
    if let process { chosen = try profile.process(process) }
    return try Timeline(of: chosen, demangle: Demangler.demangle)
  }

  /// The text in that format. A warning that the format has no place for goes to standard error.
  ///
  /// - Parameter limit: rows of each table of the text; 0 is all.
  package static func text(
    _ timeline: Timeline, as format: TimelineFormat, limit: Int = 25
  ) throws(Failure) -> String {
    if format == .folded, timeline.startupTree().unit == .calls {
      Terminal.report(
        "note: this recording has no durations: stacks count first calls by module, not time")
    }
    return try format.text(
      timeline, limit: limit, paths: SourcePaths(root: AbsolutePath.workingDirectory))
  }

  /// What changed between two timelines as a page.
  package static func page(_ difference: TimelineDifference) throws(Failure) -> String {
    try TimelineDifferenceHTML.text(
      difference, paths: SourcePaths(root: AbsolutePath.workingDirectory))
  }
}
