import FirstlightModel
import ProcessControl
import SystemSupport

/// Starts a program in the ways that `launch` compares, and keeps what the starts have shown.
struct LaunchStarts {
  let command: [String]
  let until: ReadinessCondition
  let isCold: Bool
  let timeout: Double
  let surroundings: ProgramSurroundings
  /// The command that measures until the program listens on a port, as advice for programs that do not end;
  /// nil: no advice.
  let portCommand: ((Int) -> String)?

  /// Whether the kernel reported the moment, so that polling is unnecessary.
  private(set) var isTold = true
  /// The longest interval between two checks of a port, seconds.
  private(set) var resolution = 0.0
  /// The exit status of all untraced starts, and of all traced ones; nil: none has ended by itself.
  private(set) var statuses: (untraced: Int32?, traced: Int32?)
  /// Files whose pages are dropped before each start.
  private var files: [FileCache] = []

  init(
    command: [String], until: ReadinessCondition, isCold: Bool, timeout: Double,
    surroundings: ProgramSurroundings, portCommand: ((Int) -> String)?
  ) {
    self.command = command
    self.until = until
    self.isCold = isCold
    self.timeout = timeout
    self.surroundings = surroundings
    self.portCommand = portCommand
  }

  struct Start {
    var session: LaunchSession
    var outcome: LaunchOutcome
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

  /// The first start. If it does not fail, later ones find the moment as it did.
  mutating func first() throws(Failure) -> Start {
    let made = try start(images(.details(libraries: nil)), looksForPort: true)
    if failure(made.outcome) == nil {
      statuses.traced = made.outcome.status?.exitStatus
      isTold = made.outcome.reached?.isTold ?? true
    }
    return made
  }

  func images(_ detail: WatchDetail) -> LaunchImages {
    LaunchImages(detail, watchesListen: until.listeningPort != nil)
  }

  /// A plain start: untraced if it only waits for the program's end.
  mutating func plain(_ images: LaunchImages) throws(Failure) -> StartupReport.PlainStart {
    drop()
    guard until == .exit else {
      let made = try start(images)
      try check(made.outcome, like: statuses.traced)
      return Self.plainStart(made.events)
    }
    let start = UntracedStart(command: command, surroundings: surroundings, timeout: timeout)
    var made = try start.run()
    try check(made.outcome, like: statuses.untraced)
    statuses.untraced = made.outcome.status?.exitStatus
    // The tracer and its stops have filled the CPU's caches. A repetition finds the caches of the previous
    // start, as under a stopwatch.
    if !isCold, made.start.duration < Self.shortStart {
      made = try start.run()
      try check(made.outcome, like: statuses.untraced)
    }
    return made.start
  }

  private static func plainStart(_ events: LaunchEvents) -> StartupReport.PlainStart {
    StartupReport.PlainStart(
      duration: events.duration,
      minorFaults: events.end.faults.minor, majorFaults: events.end.faults.major,
      cpuTime: events.cpuTime)
  }

  /// A traced start.
  mutating func traced(_ images: LaunchImages) throws(Failure) -> Start {
    drop()
    let made = try start(images)
    try check(made.outcome, like: statuses.traced)
    return made
  }

  /// The number of detailed starts. The calls come from the one that was disturbed least.
  private static let detailedStarts = 3
  /// Caches do not matter for longer starts; nanoseconds.
  private static let shortStart: UInt64 = 50_000_000
  /// Longer starts are disturbed little, so one is enough; nanoseconds.
  static let longStart: UInt64 = 1_000_000_000

  /// The detailed starts that did not fail.
  func inDetail(_ images: LaunchImages, to purpose: String) throws(Failure) -> [Start] {
    var starts: [Start] = []
    for number in 1...Self.detailedStarts {
      Terminal.advance("\(purpose), start \(number) of \(Self.detailedStarts)")
      drop()
      let made = try start(images)
      let isAlike = until != .exit || made.outcome.status?.exitStatus == statuses.traced
      if failure(made.outcome) == nil, isAlike { starts.append(made) }
      if made.length > Self.longStart { break }
    }
    return starts
  }

  /// Whether traced starts end with another status than untraced ones: then they do something else.
  var endDifferently: Bool {
    guard until == .exit, let traced = statuses.traced, let untraced = statuses.untraced else {
      return false
    }
    return traced != untraced
  }

  /// Throws if a later start failed, or ended with another status than those before.
  ///
  /// - Parameter status: the exit status of earlier starts of the kind; nil: unknown.
  private mutating func check(
    _ outcome: LaunchOutcome, like status: Int32?
  ) throws(Failure) {
    resolution = max(resolution, outcome.reached?.resolution ?? 0)
    var problem = failure(outcome).map { "\($0), unlike in an earlier start" }
    if problem == nil, until == .exit, let status, let own = outcome.status?.exitStatus,
      own != status
    {
      problem = "ended with exit status \(own), but with status \(status) in an earlier start"
    }
    guard let problem else { return }
    throw Failure(
      .data, "\(command[0]) \(problem)",
      advice: "its starts differ: run it by hand several times")
  }

  /// The failure of a start; nil if it succeeded.
  func failure(_ outcome: LaunchOutcome) -> String? {
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

  /// Makes later starts cold.
  /// - Returns: the files that stay in memory.
  mutating func makeCold(like first: Start) throws(Failure) -> [String] {
    var paths = [first.events.program]
    for image in LaunchRecord(first.events).images where !paths.contains(image.path) {
      paths.append(image.path)
    }
    var kept: [String] = []
    let ours = Set(ProcessMapping.files(of: "self"))
    for path in paths where path.begins(with: "/") {
      guard !ours.contains(path), let file = try? FileCache(path), !file.isInMemoryOnly,
        file.drop() == 0
      else {
        kept.append(path)
        continue
      }
      files.append(file)
    }
    if files.isEmpty {
      throw Failure(
        .unavailable, "\(command[0]) cannot be started cold: all its files stay in memory",
        advice: "copy it to a disk file of your own, or leave out --cold")
    }
    return kept
  }

  private func drop() { for file in files { file.drop() } }
}
