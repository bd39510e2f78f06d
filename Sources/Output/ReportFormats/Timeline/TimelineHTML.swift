import FirstlightModel
import LaunchTimeline
import TextFormatting

/// A timeline as one page that needs nothing else: no network, no other file. Threads as rows to zoom
/// into, the start-up flame graph, and a table of all first calls.
enum TimelineHTML {
  static func text(_ timeline: Timeline, paths: SourcePaths) throws(Failure) -> String {
    let tree = timeline.startupTree()
    let words = TimelineSentences.command(timeline)
    let headline = ShellText.headline(words)
    let command = words.map(ShellText.quoted).joined(separator: " ")
    return HTMLPage.text(
      title: "Start-up of \(headline)", style: style,
      body: template.text([
        "title": headline, "command": command == headline ? [] : [command],
        "lines": lines(timeline),
        "isLossy": timeline.processes.contains { !$0.losses.isEmpty },
        "flame": flame(tree.unit, isParallel: timeline.threads.count > 1),
        "stages": stages(timeline),
      ]),
      data: try JSONForm.compact(TimelineHTMLData(timeline: timeline, tree: tree, paths: paths)),
      script: TimelineHTMLScript.all)
  }

  /// Colours of modules after Okabe and Ito (jfly.uni-koeln.de/color), paler, for dark text on them;
  /// the script reads them from here.
  static let style = ResourceText.of(PackageResources.timeline_css)

  private static let template = PageTemplate(PackageResources.timeline_mustache)

  private static let flameTemplate = PageTemplate(PackageResources.timeline_flame_mustache)

  private static func lines(_ timeline: Timeline) -> [String] {
    timeline.processes.enumerated().map { index, process in
      let threads = timeline.threads.count { $0.process == index }
      return "\(process.name): " + TimelineSentences.process(process, threads: threads)
    } + TimelineSentences.notes(timeline)
  }

  private static func flame(_ unit: StartupTree.Unit, isParallel: Bool) -> String {
    let title: String
    var words: String
    switch unit {
    case .nanoseconds:
      title = "Start-up flame graph"
      words = "Width is time, from the whole start-up down to each function's first call."
      if isParallel {
        words += " Threads are added up, so the total can exceed the wall time."
      }
    case .calls:
      title = "First calls by module"
      words = "Width is the number of first calls: this recording has no durations."
    }
    return flame(title: title, words: words)
  }

  /// - Parameter hasSearch: whether it brings the field to search in.
  static func flame(title: String, words: String, hasSearch: Bool = false) -> String {
    flameTemplate.text(["title": title, "words": words, "hasSearch": hasSearch])
  }

  private static func stages(_ timeline: Timeline) -> String {
    timeline.processes.filter { !$0.stages.isEmpty }.map { process in
      let several = timeline.processes.count > 1 ? " of process \(process.pid)" : ""
      return HTMLTable.text(
        caption: "Stages\(several)",
        head: ["Stage", "At ms", "Took ms", "Minor faults", "Major faults"],
        rows: process.stages.map { stage in
          [
            TimelineSentences.stage(stage.kind),
            TimelineSentences.milliseconds(stage.start - min(stage.start, process.start)),
            TimelineSentences.milliseconds(stage.duration),
            CountText.number(Int(clamping: stage.minorFaults)),
            CountText.number(Int(clamping: stage.majorFaults)),
          ]
        })
    }.joined()
  }
}
