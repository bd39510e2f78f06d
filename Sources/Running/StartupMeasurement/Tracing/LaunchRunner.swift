import DebugInfo
import FirstlightModel
import FirstlightTracer
import Glibc
import ProcessControl
import StartupReport
import SystemSupport

/// Starts a program repeatedly and reports on its start-up.
package struct LaunchRunner {
  package let command: [String]
  package let until: ReadinessCondition
  package let runs: Int
  package let isCold: Bool
  package let timeout: Double
  /// Shared libraries with watched functions, besides the program; nil: no functions are watched.
  package let callsOf: [String]?
  package let surroundings: ProgramSurroundings
  /// The command that measures until the program listens on a port, as advice for programs that do not end;
  /// nil: no advice.
  package var portCommand: ((Int) -> String)?

  /// Whether a Swift program starts more times, to trace its conformance look-ups.
  package var tracesLookups = true

  private var notes: [String] = []
  /// Whether the kernel reported the moment, so that polling is unnecessary.
  private var isTold = true
  private var resolution = 0.0
  /// The exit statuses of untraced starts, and of traced ones.
  private var statuses: (untraced: Set<Int32>, traced: Set<Int32>) = ([], [])

  package init(
    command: [String], until: ReadinessCondition, runs: Int, isCold: Bool, timeout: Double,
    callsOf: [String]?, surroundings: ProgramSurroundings = ProgramSurroundings()
  ) {
    self.surroundings = surroundings
    self.command = command
    self.until = until
    self.runs = runs
    self.isCold = isCold
    self.timeout = timeout
    self.callsOf = callsOf
  }

  /// The report, and the profile of the start with watched calls.
  package struct Result {
    package var report: StartupReport
    package var calls: LaunchCallRun?
    /// Ports on which a program listened without becoming ready.
    package var ports: [Int] = []
  }

  package mutating func run() throws(Failure) -> Result {
    var signals = LaunchSession.watchedSignals
    sigprocmask(SIG_BLOCK, &signals, nil)
    // Makes orphaned processes of a daemon children of this process.
    fl_adopt_orphans()
    let listens = until.listeningPort != nil
    Terminal.advance("warming up")
    let first = try start(
      LaunchImages(.details(libraries: nil), watchesListen: listens), looksForPort: true)
    if let failure = failure(first.outcome) { return try failed(first, failure) }
    noteStatus(first.outcome, isTraced: true)
    isTold = first.outcome.reached?.isTold ?? true
    let files = isCold ? try coldFiles(first) : []
    // If a breakpoint reports readiness, plain starts stop only there.
    let plainImages = LaunchImages(.plain, watchesListen: listens && isTold)
    if !plainImages.isEmpty { _ = try startPlain(plainImages) }

    let stageImages = LaunchImages(
      .stages(
        hasMain: first.events.visits.contains { $0.landmark == .main },
        isLetGo: until == .exit && first.programs.count == 1), watchesListen: listens)
    var plain: [StartupReport.PlainStart] = []
    var watched: [LaunchEvents] = []
    for number in 1...runs {
      // The order is random, so that drift affects both kinds alike.
      for isPlain in Bool.random() ? [true, false] : [false, true] {
        Terminal.advance("start \(number) of \(runs)\(isPlain ? "" : ", stages")")
        drop(files)
        if isPlain {
          plain.append(try startPlain(plainImages))
        } else {
          let made = try start(stageImages)
          try check(made.outcome)
          noteStatus(made.outcome, isTraced: true)
          watched.append(made.events)
        }
      }
    }
    if endsDifferently { return Result(report: untracedReport(plain)) }
    let images = LaunchImages(.details(libraries: callsOf), watchesListen: listens)
    let made = try startsInDetail(images, files, to: "tracing calls")
    let lookupStarts =
      tracesLookups && first.session.images.hasSwiftRuntime
      ? try startsInDetail(
        LaunchImages(.lookups, watchesListen: listens), files, to: "tracing conformance look-ups")
      : []
    let lengths = stageLengths(watched)
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
    let records = detailed.map { LaunchRecord($0.0) }
    var report = report(
      plain: plain, watched: watched.map { Self.watchedStart($0, like: records) },
      detailed: records)
    report.relocations = relocations(images, records)
    report.calls = calls?.tree
    report.names = names(report)
    report.lookups = lookups(lookupStarts, plain)
    report.marks = calls?.profile.processes.flatMap(\.marks) ?? []
    // The report's program comes first.
    calls?.profile.processes[0].launch?.typical = report.typical
    return Result(report: report, calls: calls)
  }

  /// The look-ups of a start. They are not scaled: answers from the cache show what their stops cost.
  private func lookups(
    _ starts: [Start], _ plain: [StartupReport.PlainStart]
  ) -> ConformanceLookups? {
    let cpuTimes = Sample(plain.compactMap { $0.cpuTime.map { Double($0) } })
    return LookupReader.leastDisturbed(
      starts.map {
        LookupReader(
          session: $0.session, events: $0.events,
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

  private struct Start {
    var session: LaunchSession
    var outcome: LaunchSession.Outcome
    var events: LaunchEvents
    var programs: [String]

    /// Nanoseconds of the start, without the time in which the tracer held the program.
    var length: UInt64 { events.duration }
  }

  private func start(_ images: LaunchImages, looksForPort: Bool = false) throws(Failure) -> Start {
    let session = try LaunchSession(
      images, command: command, surroundings: surroundings, until: until, timeout: timeout,
      looksForPort: looksForPort || !isTold, portCommand: portCommand)
    let outcome = try session.run()
    let reader = LaunchEventReader(session: session)
    guard let events = reader.events(outcome) else {
      throw Failure(.system, "\(command[0]): the trace is empty")
    }
    return Start(session: session, outcome: outcome, events: events, programs: reader.programs)
  }

  /// A plain start: untraced if it only waits for the program's end.
  private mutating func startPlain(_ images: LaunchImages) throws(Failure)
    -> StartupReport.PlainStart
  {
    guard until == .exit else {
      let made = try start(images)
      try check(made.outcome)
      return Self.plainStart(made.events)
    }
    let start = UntracedStart(command: command, surroundings: surroundings, timeout: timeout)
    var made = try start.run()
    try check(made.outcome)
    // The tracer and its stops have filled the CPU's caches. A repetition finds the caches of the previous
    // start, as under a stopwatch.
    if !isCold, made.start.duration < Self.shortStart { made = try start.run() }
    try check(made.outcome)
    noteStatus(made.outcome, isTraced: false)
    return made.start
  }

  private mutating func noteStatus(_ outcome: LaunchSession.Outcome, isTraced: Bool) {
    guard let status = outcome.status?.exitStatus else { return }
    if isTraced { statuses.traced.insert(status) } else { statuses.untraced.insert(status) }
  }

  /// Whether traced starts ended with a status that no untraced one had: then they did something else.
  private var endsDifferently: Bool {
    until == .exit && !statuses.traced.isEmpty && !statuses.untraced.isEmpty
      && statuses.traced.isDisjoint(with: statuses.untraced)
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
    if endsDifferently {
      func text(_ statuses: Set<Int32>) -> String {
        statuses.sorted().map { "\($0)" }.joined(separator: " or ")
      }
      sentences.append(
        "Its exit status is \(text(statuses.traced)) if it is traced, and "
          + "\(text(statuses.untraced)) if not, so its stages are unknown.")
    }
    return sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }

  /// Throws if a later start failed.
  private mutating func check(_ outcome: LaunchSession.Outcome) throws(Failure) {
    resolution = max(resolution, outcome.reached?.resolution ?? 0)
    guard let failure = failure(outcome) else { return }
    throw Failure(
      .data, "\(command[0]) \(failure), unlike in an earlier start",
      advice: "its starts differ: run it by hand several times")
  }

  /// The number of detailed starts. The calls come from the one that was disturbed least.
  private static let detailedStarts = 3
  /// Caches do not matter for longer starts; nanoseconds.
  private static let shortStart: UInt64 = 50_000_000
  /// Longer starts are disturbed little, so one is enough; nanoseconds.
  private static let longStart: UInt64 = 1_000_000_000

  /// The detailed starts that did not fail.
  private mutating func startsInDetail(
    _ images: LaunchImages, _ files: [FileCache], to purpose: String
  ) throws(Failure) -> [Start] {
    var starts: [Start] = []
    for number in 1...Self.detailedStarts {
      Terminal.advance("\(purpose), start \(number) of \(Self.detailedStarts)")
      drop(files)
      let made = try start(images)
      if failure(made.outcome) == nil { starts.append(made) }
      if made.length > Self.longStart { break }
    }
    return starts
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

  /// The failure of a start; nil if it succeeded.
  private func failure(_ outcome: LaunchSession.Outcome) -> String? {
    let words = outcome.lastWords.isEmpty ? "" : "; last output: \(outcome.lastWords)"
    if outcome.givenUp != nil {
      let ports = outcome.ports.isEmpty ? "" : ", but \(StartupWait.text(outcome.ports))"
      return "it had not \(until.doneText) within \(TimeText.text(timeout))\(ports)\(words)"
    }
    guard let status = outcome.status else { return nil }
    if status.signal != nil { return "it \(status.text)\(words)" }
    if until == .exit || outcome.reached != nil { return nil }
    return "it \(status.text) before it had \(until.doneText)\(words)"
  }

  /// The report on a failed start, as far as the start went.
  private mutating func failed(_ made: Start, _ failure: String) throws(Failure) -> Result {
    noteStart(made)
    if let rights = LostRights.of(command[0]) { notes.append(rights) }
    var report = report(
      plain: [], watched: [Self.watchedStart(made.events, like: [])],
      detailed: [LaunchRecord(made.events)])
    report.failure = failure
    report.names = names(report)
    return Result(report: report, calls: nil, ports: made.outcome.ports)
  }

  private static func plainStart(_ events: LaunchEvents) -> StartupReport.PlainStart {
    StartupReport.PlainStart(
      duration: events.duration,
      minorFaults: events.end.faults.minor, majorFaults: events.end.faults.major,
      cpuTime: events.cpuTime)
  }

  private static func watchedStart(
    _ events: LaunchEvents, like others: [LaunchRecord]
  ) -> StartupReport.WatchedStart {
    StartupReport.WatchedStart(
      record: LaunchRecord(events).dividingLoader(like: others), stops: events.clock.stops.count)
  }

  /// Adds notes on how the program started.
  private mutating func noteStart(_ made: Start) {
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
    if made.session.images.entries.contains(where: { $0.isProgram && $0.hasGuards }) {
      notes.append(
        "Instrumented binary: these times include the instrumentation. Measure a build without the "
          + "flags.")
    }
    if let status = made.outcome.status, until == .exit, let code = status.exitStatus, code != 0 {
      notes.append("The program \(status.text).")
    }
    if made.session.images.hasConformanceTable {
      notes.append(
        "The program answers conformance look-ups from a table: those counted are the ones that it left to "
          + "the Swift runtime.")
    }
    notes += made.session.images.problems
  }

  private func report(
    plain: [StartupReport.PlainStart], watched: [StartupReport.WatchedStart],
    detailed: [LaunchRecord]
  ) -> StartupReport {
    var report = StartupReport(
      command: command,
      conditions: MeasuringConditions(
        arguments: Array(command.dropFirst()), until: until.text, isCold: isCold,
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
    case .port where isTold: "ready when listen returned"
    case .port, .http:
      "ready polled \(ReadinessWatcher.intervalText), longest interval "
        + TimeText.milliseconds(resolution)
    }
  }

  private func relocations(
    _ images: LaunchImages, _ detailed: [LaunchRecord]
  ) -> [StartupReport.Relocations] {
    let loaded = Set(detailed.flatMap { $0.images.map(\.path) })
    return images.entries.filter { loaded.contains($0.path) }.map {
      StartupReport.Relocations(
        image: $0.path, counts: $0.relocations.counts, packed: $0.relocations.packed)
    }
  }

  private func names(_ report: StartupReport) -> [String: String] {
    let names = Set(report.detailed.flatMap { $0.initializers.map(\.name) })
    return Dictionary(uniqueKeysWithValues: names.map { ($0, Demangler.demangle($0)) })
  }
}

/// Cold starts.
extension LaunchRunner {
  /// The files with pages to drop before each start.
  private mutating func coldFiles(_ first: Start) throws(Failure) -> [FileCache] {
    var paths = [first.events.program]
    for image in LaunchRecord(first.events).images where !paths.contains(image.path) {
      paths.append(image.path)
    }
    var files: [FileCache] = []
    var kept: [String] = []
    let ours = Set(ProcessMapping.files(of: "self"))
    for path in paths where path.hasPrefix("/") {
      guard !ours.contains(path), let file = try? FileCache(path), !file.isInMemoryOnly,
        file.drop() == 0
      else {
        kept.append(path)
        continue
      }
      files.append(file)
    }
    if !kept.isEmpty {
      notes.append(
        "Files that stayed in memory before cold starts (mapped by other processes or firstlight): "
          + kept.joined(separator: ", "))
    }
    if files.isEmpty {
      throw Failure(
        .unavailable, "\(command[0]) cannot be started cold: all its files stay in memory",
        advice: "copy it to a disk file of your own, or leave out --cold")
    }
    return files
  }

  private func drop(_ files: [FileCache]) { for file in files { file.drop() } }
}
