import DebugInfo
import FirstlightModel
import SystemSupport

/// Renders a profile as a timeline in any format, with source paths as seen from the working directory.
package enum TimelineRendering {
  /// - Parameter process: a process id, or its number in the profile, from 1; nil: all processes.
  /// - Throws: `Failure` of kind `data` if the profile has several runs, or no traces.
  package static func timeline(of profile: Profile, process: Int? = nil) throws(Failure) -> Timeline
  {
    var chosen = profile
    if let process { chosen = try profile.process(process) }
    return try Timeline(of: chosen, demangle: Demangler.demangle)
  }

  /// The timeline in that format. A warning without a place in the format goes to standard error.
  ///
  /// - Parameter limit: the most rows of each table of the text; 0: all.
  package static func bytes(
    _ timeline: Timeline, as format: TimelineFormat, limit: Int = 25, style: TextStyle = .plain
  ) throws(Failure) -> [UInt8] {
    if format == .folded, timeline.startupTree().unit == .calls {
      Terminal.report(
        "note: this recording has no durations: stacks count first calls by module, not time")
    }
    return try format.bytes(timeline, limit: limit, paths: paths, style: style)
  }

  /// The changes between two timelines as a page.
  package static func page(_ difference: TimelineDifference) throws(Failure) -> [UInt8] {
    Array(try difference.page(paths).utf8)
  }

  /// The pages of a difference for `PATH.html`: itself, and the start-up flame graph of each program in
  /// `PATH.old.html` and `PATH.new.html`. There are no files beside a device or a pipe.
  package static func pages(
    before: Timeline, after: Timeline, at path: String
  ) throws(Failure) -> [(path: String, bytes: [UInt8])] {
    let difference = try TimelineDifference(before: before, after: after)
    let pages = [(path: path, bytes: try page(difference))]
    guard ResultFile.isFile(path) else { return pages }
    let stem = path.ends(with: ".html") ? String(path.dropLast(5)) : path
    return pages + [
      (path: stem + ".old.html", bytes: try bytes(before, as: .html)),
      (path: stem + ".new.html", bytes: try bytes(after, as: .html)),
    ]
  }

  private static var paths: SourcePaths { SourcePaths(root: AbsolutePath.workingDirectory) }
}
