import DebugInfo
import FirstlightModel
import FirstlightTracer
import Glibc
import ProcessControl
import SystemSupport

/// Starts a program repeatedly and reports on its start-up.
package struct LaunchRunner {
  private var starts: LaunchStarts
  private let runs: Int
  /// Shared libraries with watched functions, besides the program; nil: no functions are watched.
  private let callsOf: [String]?
  /// Whether a Swift program starts more times, to trace its conformance look-ups.
  private let tracesLookups: Bool
  private var notes: [String] = []

  /// - Parameters:
  ///   - portCommand: the command that measures until the program listens on a port, as advice for programs that do
  ///     not end.
  ///   - callsOf: shared libraries with watched functions, besides the program; nil: no functions are watched.
  package init(
    command: [String], until: ReadinessCondition, runs: Int, isCold: Bool, timeout: Double,
    callsOf: [String]?, surroundings: ProgramSurroundings = ProgramSurroundings(),
    tracesLookups: Bool = true, portCommand: ((Int) -> String)? = nil
  ) {
    starts = LaunchStarts(
      command: command, until: until, isCold: isCold, timeout: timeout,
      surroundings: surroundings, portCommand: portCommand)
    self.runs = runs
    self.callsOf = callsOf
    self.tracesLookups = tracesLookups
  }

  private var command: [String] { starts.command }
  private var until: ReadinessCondition { starts.until }

  /// The report, and the profile of the start with watched calls.
  package struct Result {
    package var report: StartupReport
    package var calls: LaunchCallRun?
    /// Ports on which a program listened without becoming ready.
    package var ports: [Int] = []
  }

  package mutating func run() throws(Failure) -> Result {
    var signals = LaunchChildren.watchedSignals
    sigprocmask(SIG_BLOCK, &signals, nil)
    // Makes orphaned processes of a daemon children of this process.
    fl_adopt_orphans()
    Terminal.advance("warming up")
    let first = try starts.first()
    if let failure = starts.failure(first.outcome) { return failed(first, failure) }
    if starts.isCold { note(kept: try starts.makeCold(like: first)) }
    // If a breakpoint reports readiness, plain starts stop only there.
    let plainImages = LaunchImages(
      .plain, watchesListen: until.listeningPort != nil && starts.isTold)
    announce(first, warmUps: plainImages.isEmpty ? 0 : 1)
    if !plainImages.isEmpty { _ = try starts.plain(plainImages) }

    let stageImages = starts.images(
      .stages(
        hasMain: first.events.visits.contains { $0.landmark == .main },
        isLetGo: until == .exit && first.programs.count == 1))
    var plain: [StartupReport.PlainStart] = []
    var watched: [LaunchEvents] = []
    for number in 1...runs {
      // The order is random, so that drift affects both kinds alike.
      for isPlain in Bool.random() ? [true, false] : [false, true] {
        Terminal.advance("start \(number) of \(runs)\(isPlain ? "" : ", stages")")
        if isPlain {
          plain.append(try starts.plain(plainImages))
        } else {
          watched.append(try starts.traced(stageImages).events)
        }
      }
    }
    if starts.endDifferently { return Result(report: untracedReport(plain)) }
    let images = starts.images(.details(libraries: callsOf))
    let made = try starts.inDetail(images, to: "tracing calls")
    let lookupStarts =
      tracesLookups && first.session.images.hasSwiftRuntime
      ? try starts.inDetail(starts.images(.lookups), to: "tracing conformance look-ups")
      : []
    let wall = Sample(plain.map { Double($0.duration) / 1e9 })
    // A few starts show chance, not what stops cost.
    let costs =
      StartupReport.isTooNoisy(wall).map {
        StopCosts(
          few: watched, many: made.map(\.events), untraced: wall.median * 1e9, isTooNoisy: $0)
      } ?? StopCosts()
    let unstopped = watched.map { costs.subtracted(from: $0) }
    let lengths = stageLengths(unstopped.map(\.0))
    let detailed = made.map { $0.events.scaled(to: lengths) }
    Self.heedSignals()
    notes += images.problems
    var calls: LaunchCallRun?
    if callsOf != nil, let least = made.indices.min(by: { made[$0].length < made[$1].length }) {
      Terminal.advance("indexing functions")
      calls = LaunchCallRun(
        made[least].session, detailed[least].0, scale: detailed[least].scale,
        ending: .other(until == .exit ? "ended" : "stopped when it had \(until.doneText)"))
      notes += calls.map(Self.childNotes) ?? []
    }
    noteStart(first)
    noteIndex(first.session.images, lookupStarts)
    let records = detailed.map { LaunchRecord($0.0) }
    var report = report(
      plain: plain,
      watched: unstopped.map { Self.watchedStart($0, tracing: $1, like: records) },
      detailed: records)
    report.relocations = relocations(images, records)
    report.calls = calls?.tree
    report.names = names(report)
    report.lookups = lookups(lookupStarts, lengths, plain)
    report.marks = calls?.profile.processes.flatMap(\.marks) ?? []
    // The report's program comes first.
    calls?.profile.processes[0].launch?.typical = report.typical
    return Result(report: report, calls: calls)
  }

  /// Says how long the other starts of a slow program take.
  private func announce(_ first: LaunchStarts.Start, warmUps: Int) {
    guard first.length > LaunchStarts.longStart else { return }
    // Each run starts the program with and without stops; one start more traces calls, and one look-ups.
    let lookups = tracesLookups && first.session.images.hasSwiftRuntime ? 1 : 0
    let more = warmUps + 2 * runs + 1 + lookups
    let seconds = Double(first.length) / 1e9
    let total = TimeText.text(seconds * Double(more))
    Terminal.remark(
      "a start takes \(TimeText.text(seconds)): \(more) more take about \(total)"
        + (runs > 1 ? "; --runs 1 takes the least time" : ""))
  }

  /// The look-ups of a start, on the same scale as calls.
  ///
  /// - Parameter lengths: of the stages, nanoseconds.
  private func lookups(
    _ starts: [LaunchStarts.Start], _ lengths: [LaunchStage.Kind: UInt64],
    _ plain: [StartupReport.PlainStart]
  ) -> ConformanceLookups? {
    let cpuTimes = Sample(plain.compactMap { $0.cpuTime.map { Double($0) } })
    return LookupReader.leastDisturbed(
      starts.map {
        LookupReader(
          session: $0.session, events: $0.events.scaled(to: lengths).0,
          cpuTime: cpuTimes.count == 0 ? nil : UInt64(cpuTimes.median))
      })
  }

  /// A note on child processes, whose calls the tree does not show.
  private static func childNotes(_ calls: LaunchCallRun) -> [String] {
    guard let parent = calls.profile.processes.first else { return [] }
    // A program that another one replaced is not a child.
    let children = calls.profile.processes.filter { $0.pid != parent.pid }
    guard !children.isEmpty else { return [] }
    return [
      "The first calls are those of \(BaseName.of(parent.path)) itself. "
        + "\(CountText.text(children.count, "child process", "child processes")) made "
        + "\(CountText.number(children.reduce(0) { $0 + $1.calls.count })) more: keep them with "
        + "--profile FILE, and show them with firstlight timeline FILE."
    ]
  }

  /// Handles ending signals directly from now on, because no program is running any more.
  private static func heedSignals() {
    var signals = EndingSignals.set(EndingSignals.all)
    sigprocmask(SIG_UNBLOCK, &signals, nil)
  }

  /// The report on a program whose traced starts did something else.
  private func untracedReport(_ plain: [StartupReport.PlainStart]) -> StartupReport {
    Self.heedSignals()
    var report = report(plain: plain, watched: [], detailed: [])
    report.tracedEndAlike = false
    return report
  }

  /// The difference between traced starts and others, for people; nil: none is known.
  private var tracedDifference: String? {
    var sentences: [String] = []
    if let rights = LostRights.of(command[0]) { sentences.append(rights) }
    if starts.endDifferently, let traced = starts.statuses.traced,
      let untraced = starts.statuses.untraced
    {
      sentences.append(
        "Its exit status is \(traced) if it is traced, and \(untraced) if not, so its stages are "
          + "unknown.")
    }
    return sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }

  /// The medians of stages in starts with few stops. A start-up with a fixed duration ends inside a stage,
  /// whose length is then unknown.
  private func stageLengths(_ starts: [LaunchEvents]) -> [LaunchStage.Kind: UInt64] {
    var lengths = Dictionary(grouping: starts.flatMap(\.stageLengths), by: \.kind)
      .mapValues { UInt64(Sample($0.map { Double($0.length) }).median) }
    if case .duration = until {
      lengths[.main] = nil
      lengths[.unknown] = nil
    }
    return lengths
  }

  /// The report on a failed start, as far as the start went.
  private mutating func failed(_ made: LaunchStarts.Start, _ failure: String) -> Result {
    noteStart(made)
    if let rights = LostRights.of(command[0]) { notes.append(rights) }
    var report = report(
      plain: [], watched: [Self.watchedStart(made.events, tracing: 0, like: [])],
      detailed: [LaunchRecord(made.events)])
    report.failure = failure
    report.names = names(report)
    return Result(report: report, calls: nil, ports: made.outcome.ports)
  }

  private static func watchedStart(
    _ events: LaunchEvents, tracing: UInt64, like others: [LaunchRecord]
  ) -> StartupReport.WatchedStart {
    StartupReport.WatchedStart(
      record: LaunchRecord(events).dividingLoader(like: others), tracing: tracing,
      stops: events.clock.stops.count)
  }

  /// - Parameter kept: files that stayed in memory before cold starts.
  private mutating func note(kept: [String]) {
    guard !kept.isEmpty else { return }
    notes.append(
      "Files that stayed in memory before cold starts (mapped by other processes or firstlight): "
        + kept.joined(separator: ", "))
  }

  /// Adds notes on how the program started.
  private mutating func noteStart(_ made: LaunchStarts.Start) {
    if made.programs.count > 1 {
      notes.append(
        "The process executed several programs: \(made.programs.joined(separator: ", then ")). The "
          + "stages are those of the last; the earlier ones are a stage of their own.")
    } else if made.programs.first.map({ BaseName.of($0) }) != BaseName.of(command[0]),
      let interpreter = made.programs.first, FileStart.isScript(command[0])
    {
      notes.append(
        "The command is a script; the stages are those of its interpreter, \(interpreter).")
    }
    if made.outcome.left > 0 {
      notes.append(
        "The program went into the background: its first process ended, and "
          + "\(CountText.text(made.outcome.left, "process", "processes")) continued. The stages are "
          + "those of the first process.")
    }
    if made.session.images.entries.contains(where: { $0.isInstrumented }) {
      notes.append(
        "Instrumented binary: these times include the instrumentation. Measure a build without the "
          + "flags.")
    }
    if let status = made.outcome.status, until == .exit, let code = status.exitStatus, code != 0 {
      notes.append("The program \(status.text).")
    }
    notes += made.session.images.problems
  }

  /// Adds a note on a program's index of conformances.
  private mutating func noteIndex(_ images: LaunchImages, _ lookups: [LaunchStarts.Start]) {
    guard images.hasConformanceIndex else { return }
    if let reason = lookups.compactMap(\.session.images.unusedIndex).first {
      notes.append(
        "The program has an index of conformances and does not use it: \(reason.text). The Swift runtime "
          + "answers all look-ups.")
    } else {
      notes.append(
        "The program answers conformance look-ups from an index: those counted are the ones that it left to "
          + "the Swift runtime.")
    }
  }

  private func report(
    plain: [StartupReport.PlainStart], watched: [StartupReport.WatchedStart],
    detailed: [LaunchRecord]
  ) -> StartupReport {
    var report = StartupReport(
      command: command,
      conditions: MeasuringConditions(
        arguments: Array(command.dropFirst()), until: until.text, isCold: starts.isCold,
        host: HostInfo.describe(), notes: notes), source: source, plain: plain, watched: watched,
      detailed: detailed)
    report.tracedDifference = tracedDifference
    return report
  }

  private var source: String {
    switch until {
    case .exit: "end time from the kernel"
    case .ready: "ready time from the program"
    case .line: "ready when the line was read from its terminal"
    case .duration: ""
    case .port where starts.isTold: "ready when listen returned"
    case .port, .http:
      "ready polled \(ReadinessWatcher.intervalText), longest interval "
        + TimeText.milliseconds(starts.resolution)
    }
  }

  private func relocations(
    _ images: LaunchImages, _ detailed: [LaunchRecord]
  ) -> [StartupReport.Relocations] {
    let loaded = Set(texts: detailed.flatMap { $0.images.map(\.path) })
    return images.entries.filter { loaded.contains($0.path) }.map {
      StartupReport.Relocations(
        image: $0.path, counts: $0.relocations.counts, packed: $0.relocations.packed)
    }
  }

  private func names(_ report: StartupReport) -> [TextBytes: String] {
    let names = Set(texts: report.detailed.flatMap { $0.initializers.map(\.name) })
    return Dictionary(uniqueKeysWithValues: names.map { ($0, Demangler.demangle($0.text)) })
  }
}
