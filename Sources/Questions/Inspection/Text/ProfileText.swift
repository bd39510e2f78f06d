import FirstlightModel
import Reports
import SystemSupport

/// The contents of a profile, as text.
package enum ProfileText {
  package static func text(_ profile: Profile) -> String {
    builds(profile) + "\n" + runs(profile) + "\n" + totals(profile)
  }

  private static func builds(_ profile: Profile) -> String {
    var table = TextTable([.left, .left, .right, .right, .right, .left])
    table.add("Binary", "Build id", "Guards", "Called", "Runs", "File")
    for recorded in profile.builds {
      let build = recorded.build
      var notes: [String] =
        switch build.recorder {
        case .guards, .counters: []
        case .breakpoints: ["recorded by breakpoints"]
        case .entryHooks: ["recorded by entry hooks"]
        }
      if build.guarded.isEmpty {
        notes.append("no function table")
      } else if !build.hasSymbols {
        notes.append("no symbols")
      } else if !build.hasDebugInfo {
        notes.append("no debug information")
      }
      table.add(
        build.name, build.buildID.short,
        // With entry hooks, other unwind entries have an index too.
        CountText.number(
          build.recorder == .entryHooks ? build.guarded.count : build.guardCount),
        CountText.number(recorded.coverage.count { $0.isCalled }), "\(recorded.runs)",
        build.path + (notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))"))
    }
    return table.text()
  }

  private static func runs(_ profile: Profile) -> String {
    var text = ""
    for run in profile.runs {
      let processes = profile.processes.filter { $0.run == run.id }
      let command = run.command.map(Escaping.shellWord).joined(separator: " ")
      text +=
        Escaping.terminal("\(run.attachment == nil ? "Run" : "Window") of \(command)") + "\n"
      var table = TextTable([.left, .left])
      table.add("started", TimeText.moment(run.startedAt))
      table.add("observed", TimeText.text(max(0, run.endedAt - run.startedAt)))
      table.add("ended", run.outcome)
      if let attachment = run.attachment {
        table.add(
          "attached",
          attachment == .probes ? "by the kernel's probes" : "by ptrace")
      }
      table.add(
        "machine",
        [
          run.host.name, run.host.kernel, run.host.architecture, run.host.processor,
          CountText.text(run.host.cores, "core"),
        ].filter { !$0.isEmpty }.joined(separator: ", "))
      for process in processes {
        table.add("process \(process.pid)", Self.process(process))
      }
      for problem in run.problems { table.add("problem", problem) }
      text += table.text(indent: "  ")
    }
    return text
  }

  private static func process(_ process: RecordedProcess) -> String {
    var parts = [process.path, CountText.text(process.callCount, "first call")]
    let threads = Set(process.calls.map(\.thread)).count
    if threads > 1 { parts.append(CountText.text(threads, "thread")) }
    if process.isTraceLeftOut { parts.append("trace not kept") }
    if let parent = process.forkedFrom {
      // A process's id in a profile begins with its pid. The parent may have ended, and its pid may belong to
      // another process now.
      parts.append("forked from \(parent.prefix(upToAny: "-"))")
    }
    if let ready = process.readyAfter { parts.append("ready after \(TimeText.text(ready))") }
    let spans = process.marks.count { $0.kind != .mark }
    if process.marks.count > spans {
      parts.append(CountText.text(process.marks.count - spans, "mark"))
    }
    if spans > 0 { parts.append(CountText.text(spans, "span")) }
    if !process.returns.isEmpty { parts.append("with returns") }
    if process.launch != nil { parts.append("with start-up stages") }
    if !process.losses.isEmpty { parts.append("losses: \(LossText.text(process.losses))") }
    return parts.joined(separator: ", ")
  }

  private static func totals(_ profile: Profile) -> String {
    let observed = profile.runs.reduce(profile.unlisted.seconds) {
      $0 + max(0, $1.endedAt - $1.startedAt)
    }
    let windows = profile.runs.count { $0.attachment != nil } + profile.unlisted.windows
    let runs = profile.runs.count + profile.unlisted.runs - windows
    return "Total: \(CountText.runs(runs, windows: windows)), "
      + "\(CountText.text(profile.processes.count + profile.unlisted.processes, "process", "processes")), "
      + "\(TimeText.text(observed)) recorded. Losses: \(LossText.text(profile.losses)).\n"
  }
}
