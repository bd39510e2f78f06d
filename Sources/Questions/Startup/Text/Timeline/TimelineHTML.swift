import FirstlightModel
import Reports
import SystemSupport

/// A timeline as a self-contained page: no network, no other file. It has threads as rows to zoom into, the
/// start-up flame graph, and a table of all first calls.
enum TimelineHTML {
  static func text(_ timeline: Timeline, paths: SourcePaths) throws(Failure) -> String {
    let tree = timeline.startupTree()
    let words = TimelineSentences.command(timeline)
    let headline = ShellText.headline(words)
    let command = words.map(Escaping.shellWord).joined(separator: " ")
    return HTMLPage.text(
      title: "Start-up of \(headline)", style: style,
      body: body(
        timeline, headline: headline, command: command == headline ? nil : command,
        flame: flame(tree.unit, isParallel: timeline.threads.count > 1)),
      data: try JSONForm.compact(TimelineHTMLData(timeline: timeline, tree: tree, paths: paths)),
      script: TimelineHTMLScript.all)
  }

  /// Colours of modules after Okabe and Ito (jfly.uni-koeln.de/color), but paler, as a background of dark text.
  /// The script reads the colours from here.
  static let style = ResourceText.of(PackageResources.timeline_css)

  private static func body(
    _ timeline: Timeline, headline: String, command: String?, flame: HTML
  ) -> HTML {
    """
    <h1>Start-up of <code>\(headline)</code></h1>
    <div class="result\(timeline.processes.contains { !$0.losses.isEmpty } ? " lossy" : "")">
    \(command.map { "<pre>\($0)</pre>\n" })\(lines(timeline).map { "<p>\($0)</p>\n" })</div>
    <form id="controls" onsubmit="return false">
    <label>Search <input id="search" type="search" placeholder="function, module, file or mark">\
    </label>
    <button id="previous" type="button" title="Previous match (Shift+N)">Previous</button>
    <button id="next" type="button" title="Next match (N)">Next</button>
    <output id="count"></output>
    </form>
    <noscript><p>The graphs and the table need JavaScript; <code>firstlight timeline --format text\
    </code> does not.</p></noscript>
    <section aria-labelledby="lanes-title">
    <h2 id="lanes-title">Threads</h2>
    <p class="bar">
    <button id="zoom-in" type="button">Zoom in</button>
    <button id="zoom-out" type="button">Zoom out</button>
    <button id="to-ready" type="button" hidden>To ready</button>
    <button id="whole" type="button">Whole run</button>
    <span class="small">Drag to move, Ctrl and wheel to zoom, double-click to zoom to a call. \
    Keys: arrows, + and -, 0 for the whole run, . and , for the next and previous call.</span>
    </p>
    <div id="lanes" class="canvas" tabindex="0" role="group" \
    aria-label="Threads as rows over time; the table below shows the same data"></div>
    <p id="detail" class="small" aria-live="polite">\
    Point at a call or click it to see its times.</p>
    </section>
    \(flame)\(stages(timeline))<section aria-labelledby="table-title">
    <h2 id="table-title">First calls and initializers</h2>
    <p class="small" id="table-words"></p>
    <form onsubmit="return false"><label>Show <select id="kind"><option value="">all</option>\
    <option value="initializers">initializers</option>\
    <option value="marked">tail calls, async, unwound, still running</option></select></label> \
    <output id="listed"></output></form>
    <div class="scroll" tabindex="0"><table id="list"><thead><tr></tr></thead><tbody></tbody>\
    </table></div>
    <button id="more" type="button" hidden>Show more</button>
    </section>

    """
  }

  private static func lines(_ timeline: Timeline) -> [String] {
    timeline.processes.enumerated().map { index, process in
      let threads = timeline.threads.count { $0.process == index }
      return "\(process.name): " + TimelineSentences.process(process, threads: threads)
    } + TimelineSentences.notes(timeline)
  }

  private static func flame(_ unit: StartupTree.Unit, isParallel: Bool) -> HTML {
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

  /// - Parameter hasSearch: whether the graph has a search field of its own.
  static func flame(title: String, words: String, hasSearch: Bool = false) -> HTML {
    let search: HTML = """
      <form onsubmit="return false"><label>Search <input id="search" type="search" \
      placeholder="function, file or image"></label> <output id="count"></output></form>

      """
    return """
      <section aria-labelledby="flame-title">
      <h2 id="flame-title">\(title)</h2>
      <p class="small">\(words) Click to zoom in; arrows, Enter and Escape do the same.</p>
      <p class="bar"><button id="flame-reset" type="button" disabled>Reset</button> \
      <span class="small" id="crumbs"></span></p>
      <div id="flame" class="canvas" tabindex="0" role="group" \
      aria-label="Flame graph; the table below shows the same data"></div>
      <p id="flame-detail" class="small" aria-live="polite"></p>
      </section>
      \(hasSearch ? search : nil)
      """
  }

  private static func stages(_ timeline: Timeline) -> [HTML] {
    timeline.processes.filter { !$0.stages.isEmpty }.map { process in
      let several = timeline.processes.count > 1 ? " of process \(process.pid)" : ""
      return HTMLTable.html(
        caption: "Stages\(several)",
        head: ["Stage", "At ms", "Took ms", "Minor faults", "Major faults"],
        rows: process.stages.map { stage in
          [
            stage.kind.title,
            TimelineSentences.milliseconds(stage.start - min(stage.start, process.start)),
            TimelineSentences.milliseconds(stage.duration),
            CountText.number(Int(clamping: stage.minorFaults)),
            CountText.number(Int(clamping: stage.majorFaults)),
          ]
        })
    }
  }
}
