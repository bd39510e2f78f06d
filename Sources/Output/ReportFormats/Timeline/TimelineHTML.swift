import FirstlightModel
import LaunchTimeline
import TextFormatting

/// A timeline as one page that needs nothing else: no network, no other file. Threads as rows to zoom
/// into, the start-up flame graph, and a table of all first calls.
enum TimelineHTML {
  static func text(_ timeline: Timeline, paths: SourcePaths) throws(Failure) -> String {
    let tree = timeline.startupTree()
    let title = TimelineSentences.title(timeline)
    return HTMLPage.text(
      title: "Start-up of \(title)", style: TimelineHTMLStyle.sheet,
      body: head(timeline, title) + controls + lanes
        + flame(tree.unit, isParallel: timeline.threads.count > 1) + stages(timeline) + table,
      data: try JSONForm.compact(TimelineHTMLData(timeline, tree: tree, paths: paths)),
      script: TimelineHTMLScript.all)
  }

  private static func head(_ timeline: Timeline, _ title: String) -> String {
    var lines = timeline.processes.enumerated().map { index, process in
      let threads = timeline.threads.count { $0.process == index }
      return "\(process.name): " + TimelineSentences.process(process, threads: threads)
    }
    lines += TimelineSentences.notes(timeline)
    let isLossy = timeline.processes.contains { !$0.losses.isEmpty }
    return "<h1>Start-up of <code>\(HTMLText.escaped(title))</code></h1>\n"
      + "<div class=\"result\(isLossy ? " lossy" : "")\">\n"
      + lines.map { "<p>\(HTMLText.escaped($0))</p>\n" }.joined() + "</div>\n"
  }

  private static let controls = ResourceText.of(PackageResources.timeline_controls_html)

  private static let lanes = ResourceText.of(PackageResources.timeline_lanes_html)

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

  static func flame(title: String, words: String) -> String {
    """
    <section aria-labelledby="flame-title">
    <h2 id="flame-title">\(title)</h2>
    <p class="small">\(words) Click to zoom in; arrows, Enter and Escape do the same.</p>
    <p class="bar"><button id="flame-reset" type="button" disabled>Reset</button> <span class="small" id="crumbs"></span></p>
    <div id="flame" class="canvas" tabindex="0" role="group" aria-label="Flame graph; the table below shows the same data"></div>
    <p id="flame-detail" class="small" aria-live="polite"></p>
    </section>

    """
  }

  private static func stages(_ timeline: Timeline) -> String {
    timeline.processes.filter { !$0.stages.isEmpty }.map { process in
      let several = timeline.processes.count > 1 ? " of process \(process.pid)" : ""
      return HTMLText.table(
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

  private static let table = ResourceText.of(PackageResources.timeline_table_html)
}
