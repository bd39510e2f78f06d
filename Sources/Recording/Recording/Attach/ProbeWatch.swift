import FirstlightModel
import FirstlightProbes
import Glibc
import ProcessControl
import SystemSupport

/// Watches all processes that run some programs through the kernel's probes, and their own libraries.
struct ProbeWatch: AttachWatch {
  private let target: AttachTarget
  private let budget: AttachBudget?
  private var files: ProbedFiles
  private var processes: WatchedProcesses
  /// The times since which all functions of the files are watched, as of the recordings.
  private var told: [Int: UInt64] = [:]
  /// A library that changes code, which a process has loaded meanwhile.
  private var changer: String?
  private let keepsFiles: Bool
  /// Whether the first look is over.
  private var isRunning = false
  /// Processes of the same program that do not descend from the named one.
  private var others: Set<UInt32> = []

  /// - Parameters:
  ///   - globs: libraries to watch, besides those that belong to the program.
  ///   - folder: the recording.
  ///   - keepsFiles: whether files that no process runs any more stay open, for the names of their functions.
  init(
    _ target: AttachTarget, globs: [String], budget: Double?, into folder: WatchFolder,
    keepsFiles: Bool
  ) throws(Failure) {
    self.keepsFiles = keepsFiles
    guard ProcessTable.isInFirstNamespace else {
      throw Failure(
        .unavailable,
        "the kernel's probes name processes by pids of the first pid namespace, which /proc does not show here",
        advice: "run firstlight outside of the container, or use --ptrace")
    }
    self.target = target
    processes = WatchedProcesses(folder)
    self.budget = budget.map { AttachBudget($0) }
    files = try ProbedFiles(target, globs: globs)
    try look()
    guard files.all.filter({ $0.refuseForeignCode(in: users(of: $0)) }).count > 0 else {
      throw Failure(
        .unavailable,
        "nothing to watch: the kernel has no probes for code that a process copied or may change",
        advice: "a program that may die can be watched with --ptrace")
    }
    _ = try renew()
  }

  /// The processes that use a file.
  private func users(of file: ProbedFile) -> [UInt32] {
    processes.living.filter { $0.value.writer.numbers.contains(file.image) }.map(\.key).sorted()
  }

  var images: BreakpointImages { files.images }
  var paths: [String] { files.programs.values.map(\.path).sorted() }
  var processCount: Int { processes.living.count }
  var pageCount: Int { images.entries.values.reduce(0) { $0 + $1.pageCount } }
  var functionCount: Int { files.all.reduce(0) { $0 + $1.watchedCount } }
  var cost: AttachCost { files.cost }

  /// Watches until the time is over, a signal comes, or, for one process, none is left.
  mutating func run(for seconds: Double?, _ signals: SignalWait) throws(Failure) -> Bool {
    let end = seconds.map { Clock.monotonic() + $0 }
    var nextLook = 0.0
    isRunning = true
    var pause = Self.shortestPause
    while true {
      let now = Clock.monotonic()
      if now >= nextLook {
        try look()
        if files.programs.count == 1, processes.living.isEmpty, !target.outlivesItsProcesses {
          return false
        }
        nextLook = now + Self.looking
      }
      if try files.areOverwritten() || isChangingCode { return false }
      let isBusy = try renew()
      pause = isBusy ? Self.shortestPause : min(pause * 2, Self.longestPause)
      let wake = Clock.monotonic() + pause
      switch signals.next(until: min(wake, end ?? wake)) {
      case .signal(let signal, _) where EndingSignals.all.contains(signal): return false
      case .signal, .nothing: break
      case .timeIsOver: if let end, Clock.monotonic() >= end { return true }
      }
    }
  }

  /// Whether a process has just loaded a library that changes code.
  private var isChangingCode: Bool {
    guard let changer else { return false }
    Terminal.report(
      "warning: a watched process has loaded \(changer), which changes code, so the watch ends")
    return true
  }

  /// Seconds between checks for calls: the first come soon, later ones more rarely.
  private static let shortestPause = 0.01
  private static let longestPause = 0.5
  /// Seconds between checks for processes.
  private static let looking = 1.0

  /// Writes down what the kernel saw, removes the probes of called functions, and adds probes for further ones.
  ///
  /// - Returns: whether there was something to do.
  private mutating func renew() throws(Failure) -> Bool {
    var isBusy = try take()
    for file in files.all {
      if !file.isCompared { _ = file.refuseForeignCode(in: users(of: file)) }
      while file.isPending, budget?.allows(cost) != false {
        isBusy = true
        try file.addGroup()
        // Lets threads that waited for the kernel's change run before the next change.
        usleep(Self.breath)
        // A function that is called all the time costs time until its probe is removed.
        _ = try take()
      }
      guard told[file.image] != file.watchedSince else { continue }
      told[file.image] = file.watchedSince
      for member in processes.living.values { setWatched(file, in: member) }
    }
    return isBusy
  }

  /// Writes down since when a process's functions of a file are watched, and which are not. Until the last probe is
  /// there, the recording says that of none, so gaps would say nothing more.
  private func setWatched(_ file: ProbedFile, in member: WatchedProcesses.Member) {
    guard file.watchedSince != .max else { return }
    member.writer.addGaps(image: file.image, file.refused)
    member.writer.set(since: file.watchedSince, image: file.image)
  }

  /// Writes down what the kernel saw since the last time.
  ///
  /// - Returns: whether there was anything.
  private mutating func take() throws(Failure) -> Bool {
    let now = UInt64(Clock.monotonic() * 1e9)
    var events: [ProbedFile.Event] = []
    for file in files.all {
      let lost = file.takeStarts(&events)
      if lost > 0 { processes.addMissing(Int(clamping: lost), Self.tooFast) }
      try file.takeCalls(&events)
    }
    sort(&events)
    for event in events { write(event) }
    for member in processes.living.values { member.writer.set(until: now) }
    return !events.isEmpty
  }

  /// Sorts events by time. Those of a loader, which runs constructors of libraries, belong to the start that follows.
  private func sort(_ events: inout [ProbedFile.Event]) {
    var first: [UInt32: UInt64] = [:]
    for event in events where processes.living[event.process] == nil {
      first[event.process] = min(event.time, first[event.process] ?? .max)
    }
    for place in events.indices where events[place].isStart {
      if let time = first.removeValue(forKey: events[place].process) { events[place].time = time }
    }
    events.sort { ($0.time, $0.isStart ? 0 : 1) < ($1.time, $1.isStart ? 0 : 1) }
  }

  private mutating func write(_ event: ProbedFile.Event) {
    guard isMeant(event.process, isStart: event.isStart) else {
      // A first instruction keeps its probe.
      if !event.isStart { spend(event) }
      return
    }
    let program = files.program(of: event.image)
    let member =
      if event.isStart, let program {
        processes.started(event.process, at: event.time, program)
      } else {
        processes.found(
          event.process,
          (program ?? self.program(of: event.process))?.path ?? images.entries[event.image]?.path
            ?? "", before: event.time)
      }
    guard let member else { return spend(event) }
    addImage(event.image, to: member)
    guard let function = event.function else { return }
    let isRecorded = member.writer.add(
      image: event.image, function: function, thread: event.thread, time: event.time)
    if !isRecorded { spend(event) }
  }

  /// A call that is in no recording has taken its probe along: what later processes do there is not seen.
  private func spend(_ event: ProbedFile.Event) {
    guard let function = event.function, let file = files.file(of: event.image) else { return }
    file.refuse(function)
    guard file.watchedSince != .max else { return }
    for member in processes.living.values {
      member.writer.addGaps(image: event.image, [function])
    }
  }

  /// The program that a process runs; nil if it is not watched, or the process has ended.
  private func program(of pid: UInt32) -> ProbedFiles.Program? {
    RunningProgram.place(of: pid).flatMap { files.programs[$0] }
  }

  /// Whether a process is the named one, or descends from it; any, if a program is watched.
  private mutating func isMeant(_ pid: UInt32, isStart: Bool = false) -> Bool {
    guard let only = files.only, pid != UInt32(only), processes.living[pid] == nil else {
      return true
    }
    if others.contains(pid) { return false }
    let isChild: Bool
    if let parent = ProcessStat(of: pid)?.parent {
      isChild = processes.living[UInt32(parent)] != nil
    } else {
      // It has ended. A forked process descends from a living one.
      isChild = !isStart && others.isEmpty
    }
    if !isChild { others.insert(pid) }
    return isChild
  }

  /// Begins the segment of an image in a process, if that is new.
  private func addImage(_ image: Int, to member: WatchedProcesses.Member) {
    guard !member.writer.numbers.contains(image),
      let file = files.file(of: image)
    else { return }
    // All processes share the kernel's probes, so the image has no address of its own.
    member.writer.add(
      images.entries[image]!.watched, image, loadBias: 0, since: file.watchedSince)
    if file.watchedSince != .max { member.writer.addGaps(image: image, file.refused) }
  }

  /// The starts of processes were overwritten before they were read.
  private static let tooFast = "processes started too fast to be seen"

  /// Microseconds between additions of functions.
  private static let breath: UInt32 = 5000

  /// Looks for new processes of the programs, and for new libraries of all processes.
  private mutating func look() throws(Failure) {
    if isRunning { files.addNewPrograms() }
    let known = Set(processes.living.keys)
    // Without a free descriptor nothing can be listed, which does not mean that the processes have ended.
    guard let names = try? DirectoryListing.names(in: "/proc") else { return }
    let now = UInt64(Clock.monotonic() * 1e9)
    // Parents come before their children.
    let running = names.compactMap { name -> (pid: UInt32, start: UInt64, ProbedFiles.Program)? in
      guard let pid = UInt32(name), let place = RunningProgram.place(of: pid),
        let program = files.programs[place]
      else { return nil }
      return (pid, LiveProcess(pid)?.startTime ?? .max, program)
    }.sorted { ($0.start, $0.pid) < ($1.start, $1.pid) }
    // The kernel's account of a start is more exact than a look at /proc, so it comes first.
    _ = try take()
    for pid in known.subtracting(running.map(\.pid)) { processes.retire(pid, at: now) }
    others.formIntersection(running.map(\.pid))
    for (pid, _, program) in running
    where files.isConfined ? files.only.map(UInt32.init) == pid : isMeant(pid) {
      if let member = processes.found(pid, program.path, isLoading: isRunning) {
        addImage(program.image, to: member)
      }
    }
    if isRunning, !keepsFiles {
      files.release(except: Set(processes.living.values.flatMap(\.writer.numbers)))
      told = told.filter { files.file(of: $0.key) != nil }
    }
    for pid in processes.living.keys.sorted() {
      let mappings = ProcessMapping.all(of: "\(pid)")
      if let found = MappedCode.changer(among: mappings) {
        guard isRunning else { throw MappedCode.refusal(of: found, in: pid) }
        changer = found
      }
      let root = ProcessRoot(of: pid)
      for mapping in mappings where mapping.isExecutable {
        guard let member = processes.living[pid] else { continue }
        switch files.addLibrary(mapping, of: pid, root) {
        case .watched(let image): addImage(image, to: member)
        case .refused(let number): member.writer.addLostImage(number)
        case .foreign: break
        }
      }
    }
  }

  mutating func finish(inOrder: Bool) {
    _ = try? take()
    for file in files.all {
      for (pid, functions) in file.missingProbes(in: users(of: file)) {
        processes.living[pid]?.writer.addGaps(image: file.image, functions)
      }
      if file.isPending { leaveOutPending(of: file) }
      file.finish()
    }
    _ = try? take()
    if inOrder {
      processes.retireAll(at: UInt64(Clock.monotonic() * 1e9))
    } else {
      processes.abandonAll()
    }
  }

  /// A watch with a budget may end before all functions had their turn.
  private func leaveOutPending(of file: ProbedFile) {
    let now = UInt64(Clock.monotonic() * 1e9)
    for member in processes.living.values {
      member.writer.addGaps(image: file.image, file.unseen)
      member.writer.set(since: now, image: file.image)
    }
  }

  var missing: (processes: Int, problems: [String]) {
    let missing = processes.missing
    return (
      missing.processes, images.problems + (missing.reason.isEmpty ? [] : [missing.reason])
    )
  }
}
