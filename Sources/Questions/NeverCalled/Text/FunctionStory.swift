import FirstlightModel
import SystemSupport

/// Everything known about one function, as text.
struct FunctionStory {
  private let row: FunctionReport
  private let profile: Profile
  private let report: DeadCodeReport
  private let references: Result<FunctionReferences, Failure>?
  private let paths: SourcePaths

  /// - Parameter references: the references to the report's functions, or the error; nil: there is no index.
  init(
    row: FunctionReport, report: DeadCodeReport,
    references: Result<FunctionReferences, Failure>? = nil, profile: Profile, paths: SourcePaths
  ) {
    self.row = row
    self.report = report
    self.references = references
    self.profile = profile
    self.paths = paths
  }

  /// The functions as a list, with a row for each.
  static func list(
    _ rows: some Sequence<FunctionReport>, paths: SourcePaths
  ) -> String {
    var table = TextTable([.left, .left, .left])
    for row in rows {
      let place = paths.place(row)
      table.add(row.verdict.rawValue, row.name, place ?? row.moduleLabel)
    }
    return table.text()
  }

  private var observation: Observation { report.observation }

  var text: String {
    var table = TextTable([.left, .left])
    table.add("verdict", verdict)
    if let tests { table.add("tests", tests) }
    if row.verdict != .compilerGenerated, row.watchedRuns > 0 {
      table.add("\(DeadSentences.noun(observation))s", runs)
    }
    if row.firstSeen > 0 {
      table.add(
        "seen", "first \(TimeText.moment(row.firstSeen)), last \(TimeText.moment(row.lastSeen))")
    }
    if let version = row.unusedSince {
      table.add("unused since", "build \(observation.versions[version].buildID)")
    }
    if let file = row.file { table.add("declared", "\(paths.shown(file)):\(row.line)") }
    table.add("module", row.moduleLabel)
    table.add("size", CountText.bytes(row.bytes))
    if let reason = row.keepReason {
      table.add("kept", reason + (row.isStaleKeep ? " (stale)" : ""))
    }
    for line in firstCall { table.add("first call", line) }
    if case .failure(let failure) = references { table.add("references", "unknown: \(failure)") }
    return "\(row.name)\n" + table.text(indent: "  ") + chain + pieces
  }

  /// The code that refers to the function, the code that refers to that, and so on up to the deciding
  /// reference.
  private var chain: String {
    guard case .success(let references) = references else { return "" }
    let text = ReferenceText(references: references, paths: paths)
    var table = TextTable([.left, .left, .left])
    for number in references.chain(row.identity) {
      let function = report.functions[number]
      table.add(
        function.shortName,
        paths.place(function) ?? function.module,
        text.text(function.identity) ?? "")
    }
    return table.count > 0
      ? "  References\n" + table.text(indent: "    ") : ""
  }

  private var tests: String? {
    switch row.tests {
    case nil: return nil
    case .unknown: return "may have called it: their recording does not show it"
    case .neverCalled: return "never called it"
    case .called:
      guard row.isCalledByTestsAlone else { return "called it" }
      let text = (try? references?.get()).map { ReferenceText(references: $0, paths: paths) }
      let note = TestedText.note(row, text)
      return "only they called it" + (note.isEmpty ? "" : "; \(note)")
    }
  }

  private var verdict: String { "\(row.verdict.rawValue): \(VerdictReasonText.text(row.reason))" }

  private var runs: String {
    let text =
      "called in \(CountText.number(row.calledRuns)) of \(CountText.number(row.watchedRuns))"
    // One run says little about others.
    guard row.watchedRuns > 1, row.bound < 1 else { return text }
    return text
      + "; in at most \(DeadSentences.percent(row.bound)) of such \(DeadSentences.noun(observation))s, at 95% "
      + "confidence"
  }

  private var pieces: String {
    var table = TextTable([.left, .left, .right, .left])
    for piece in row.pieces.prefix(40) {
      let build = piece.build.map { profile.builds[$0] }
      let image =
        build.map { "\($0.build.name) \($0.build.buildID.short)" }
        ?? (row.isOnlyInTests ? "tests" : "linker")
      table.add(piece.kind?.rawValue ?? "function", image, place(piece, build), piece.name)
    }
    var text = "  Code\n" + table.text(indent: "    ")
    if row.pieces.count > 40 {
      text += "    and \(CountText.text(row.pieces.count - 40, "more part"))\n"
    }
    return text + copies
  }

  private func place(_ piece: FunctionReport.Piece, _ build: RecordedBuild?) -> String {
    switch (piece.code, build) {
    case (.guarded(let guardIndex), let build?):
      let seen = build.coverage[Int(guardIndex)]
      return "guard \(guardIndex): "
        + (seen.isCalled ? "called by \(CountText.text(seen.runs, "run"))" : "not called")
    case (.counted(let seen), _):
      return "counter: "
        + (seen.isCalled ? "called in \(CountText.text(seen.runs, "run"))" : "not called")
    case (.unguarded, _): return "not recorded"
    case (.copies(let hosts, _), _): return "in \(CountText.text(hosts.count, "other function"))"
    default: return row.isOnlyInTests ? "not in the program" : "dropped"
    }
  }

  /// The functions that contain inlined copies of this one.
  private var copies: String {
    var table = TextTable([.left, .left])
    var more = 0
    for piece in row.pieces {
      guard let build = piece.build, case .copies(let hosts, let unknownHost) = piece.code else {
        continue
      }
      let recorded = profile.builds[build]
      for host in hosts {
        guard let function = recorded.build.function(ofGuard: host) else { continue }
        if table.count >= 20 {
          more += 1
          continue
        }
        table.add(
          recorded.isCalled(function: function) ? "called" : "not called",
          recorded.build.functions[function].demangledName)
      }
      if unknownHost { table.add("not recorded", "functions that were not instrumented") }
    }
    guard table.count > 0 else { return "" }
    return "  Inlined into\n" + table.text(indent: "    ")
      + (more > 0 ? "    and \(CountText.text(more, "more function"))\n" : "")
  }

  private func beginning(of process: RecordedProcess) -> String {
    let run = profile.runs.first { $0.id == process.run }
    return run?.attachment == nil ? "its start" : "the watch began"
  }

  /// The earliest first call in the kept traces, and the previous call of its thread.
  private var firstCall: [String] {
    var guards: Set<UInt64> = []
    for piece in row.pieces {
      guard let build = piece.build, case .guarded(let index) = piece.code else { continue }
      guards.insert(UInt64(build) << 32 | UInt64(index))
    }
    for process in profile.processes {
      guard
        let place = process.calls.firstIndex(where: {
          guards.contains(UInt64($0.build) << 32 | UInt64($0.guardIndex))
        })
      else { continue }
      let call = process.calls[place]
      var lines = [
        "process \(process.pid) (\(process.path)), "
          + "\(TimeText.milliseconds(Double(call.time) / 1e9)) after \(beginning(of: process)), "
          + "call \(CountText.number(place + 1)) of \(CountText.number(process.calls.count))"
      ]
      if let before = process.calls[..<place].last(where: { $0.thread == call.thread }) {
        let build = profile.builds[Int(before.build)].build
        if let function = build.function(ofGuard: before.guardIndex) {
          lines.append("just after \(build.functions[function].demangledName)")
        }
      }
      return lines
    }
    return []
  }
}
