import DebugInfo
import FirstlightModel
import FirstlightProbes
import Glibc
import ProcessControl
import SystemSupport

/// Watches all processes that run some programs through the kernel's probes, and their own libraries.
struct ProbeWatch: AttachWatch {
  private typealias Program = WatchedProcesses.Program

  private let target: AttachTarget
  private let budget: AttachBudget?
  private(set) var images: BreakpointImages
  private var processes: WatchedProcesses
  private var files: [ProbedFile] = []
  /// The times since which all functions of the files are watched, as of the recordings.
  private var told: [Int: UInt64] = [:]
  /// Files that were looked at, whether they are watched or not.
  private var known: Set<FilePlace> = []
  /// A library that changes code, which a process has loaded meanwhile.
  private var changer: String?
  private let keepsFiles: Bool
  /// Whether the first look is over.
  private var isRunning = false
  private var programs: [FilePlace: Program] = [:]
  /// Whether only the named process is watched, because others might copy their code.
  private var isConfined = false
  /// The named process.
  private let only: pid_t?
  /// Processes of the same program that do not descend from it.
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
    if case .process(let pid) = target { only = pid } else { only = nil }
    self.budget = budget.map { AttachBudget($0) }
    images = BreakpointImages(globs: globs)
    let named = try target.processes()
    if case .file(let path) = target { try addProgram(path) }
    let isNamed = isNamed(named)
    for pid in named { try addProgram(of: pid, isNamed: isNamed) }
    guard !programs.isEmpty else {
      throw Failure(
        .data, "nothing to watch: \(images.problems.first ?? "no program has known functions")",
        advice: "keep the program's symbols, or put its debug file beside it")
    }
    try look()
    guard files.filter({ $0.refuseForeignCode(in: users(of: $0)) }).count > 0 else {
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

  var paths: [String] { programs.values.map(\.path).sorted() }
  var processCount: Int { processes.living.count }
  var pageCount: Int { images.entries.values.reduce(0) { $0 + $1.pageCount } }
  var functionCount: Int { files.reduce(0) { $0 + $1.watchedCount } }
  var cost: AttachCost { files.reduce(AttachCost()) { $0 + $1.cost } }

  /// Whether the user named the program of these processes, and not only a unit with several programs.
  private func isNamed(_ processes: [pid_t]) -> Bool {
    if target.namesPrograms { return true }
    return Set(processes.map(RunningProgram.place)).count == 1
  }

  /// Adds the program in a file, which need not run yet.
  private mutating func addProgram(_ path: String) throws(Failure) {
    let file = try OpenFile(path, path: AbsolutePath.resolved(path) ?? path)
    guard known.insert(file.place).inserted else { return }
    if let image = try add(file, seenBy: getpid(), isNamed: true, isProgram: true) {
      programs[file.place] = Program(path: file.path, image: image)
    }
  }

  private mutating func addProgram(of pid: pid_t, isNamed: Bool) throws(Failure) {
    guard let path = RunningProgram.path(of: pid) else {
      if case .process = target {
        throw Failure(
          .unavailable, "\(pid): its program cannot be read",
          advice: "run firstlight as root or as its user; threads of the kernel have none")
      }
      return
    }
    guard let place = RunningProgram.place(of: pid), known.insert(place).inserted else {
      return
    }
    let file = try OpenFile(RunningProgram.link(of: pid), path: path)
    // If a unit has several programs, those without symbols, such as a shell, are left out.
    if let image = try add(file, seenBy: pid, isNamed: isNamed, isProgram: true) {
      programs[place] = Program(path: path, image: image)
    }
  }

  private mutating func add(
    _ file: OpenFile, seenBy pid: pid_t, isNamed: Bool, isProgram: Bool = false
  ) throws(Failure) -> Int? {
    Terminal.progress("reading \(file.path)")
    let image = try file.image(seenBy: ProcessRoot(of: pid))
    if image.mayMoveItsCode, only == nil {
      throw Failure(
        .unavailable,
        "\(file.path) may copy its code to huge pages (it has a section lpstub): a process that does so while it "
          + "is watched would die",
        advice: "give the process id of one that has started; then only that one is watched")
    }
    guard let number = images.add(image, path: file.path, isNamed: isNamed, isCommand: isNamed)
    else { return nil }
    let addresses = Array(images.entries[number]!.addresses)
    files.append(
      try ProbedFile(
        file, image: number, offsets: image.probePlaces(of: addresses),
        start: isProgram
          ? image.probePlaces(of: [image.entryPoint])[0].map { place in
            (place, addresses.firstIndex(of: image.entryPoint).map { UInt32($0) })
          } : nil, process: image.mayMoveItsCode ? only : nil))
    if image.mayMoveItsCode { isConfined = true }
    return number
  }

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
        if programs.count == 1, processes.living.isEmpty, !target.outlivesItsProcesses {
          return false
        }
        nextLook = now + Self.looking
      }
      if try isOverwritten() || isChangingCode { return false }
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

  /// Whether a watched file is about to be overwritten. In a new file the kernel would write breakpoints at the
  /// places of the old one.
  ///
  /// - Throws: `.data` if that has happened already: neither code nor names are known any more.
  private func isOverwritten() throws(Failure) -> Bool {
    for file in files.lazy.map(\.file) {
      if file.isWanted {
        Terminal.report("warning: \(file.path) is about to be overwritten, so the watch ends")
        return true
      }
      guard file.isChanged else { continue }
      for file in files { file.finish() }
      throw Failure(
        .data, "\(file.path) was overwritten while it was watched: what was seen is lost",
        advice: "move new builds to their place (mv, install), and watch again")
    }
    return false
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
    for file in files {
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
    for file in files {
      lostStarts += file.takeStarts(&events)
      try file.takeCalls(&events)
    }
    events.sort { $0.time < $1.time }
    for event in events { write(event) }
    for member in processes.living.values { member.writer.set(until: now) }
    return !events.isEmpty
  }

  private mutating func write(_ event: ProbedFile.Event) {
    guard isMeant(event.process, isStart: event.isStart) else {
      guard !event.isStart, let function = event.function else { return }
      // Its probe is spent, so a call by the named process would not be seen.
      for member in processes.living.values {
        member.writer.addGaps(image: event.image, [function])
      }
      return
    }
    let program = programs.values.first { $0.image == event.image }
    let member =
      if event.isStart, let program {
        processes.started(event.process, at: event.time, program)
      } else {
        processes.found(
          event.process, program?.path ?? images.entries[event.image]?.path ?? "",
          before: event.time)
      }
    guard let member else { return }
    addImage(event.image, to: member)
    guard let function = event.function else { return }
    member.writer.add(
      image: event.image, function: function, thread: event.thread, time: event.time)
  }

  /// Whether a process is the named one, or descends from it; any, if a program is watched.
  private mutating func isMeant(_ pid: UInt32, isStart: Bool = false) -> Bool {
    guard let only, pid != UInt32(only), processes.living[pid] == nil else { return true }
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
      let file = files.first(where: { $0.image == image })
    else { return }
    // All processes share the kernel's probes, so the image has no address of its own.
    member.writer.add(
      images.entries[image]!.watched, image, loadBias: 0, since: .max)
    setWatched(file, in: member)
  }

  /// Starts that were overwritten before they were read.
  private var lostStarts: UInt64 = 0

  /// Microseconds between additions of functions.
  private static let breath: UInt32 = 5000

  /// Looks for new processes of the programs, and for new libraries of all processes.
  private mutating func look() throws(Failure) {
    if isRunning { addPrograms() }
    let known = Set(processes.living.keys)
    // Without a free descriptor nothing can be listed, which does not mean that the processes have ended.
    guard let names = try? DirectoryListing.names(in: "/proc") else { return }
    let now = UInt64(Clock.monotonic() * 1e9)
    // Parents come before their children.
    let running = names.compactMap { name -> (pid: UInt32, start: UInt64, program: Program)? in
      guard let pid = UInt32(name), let place = RunningProgram.place(of: pid),
        let program = programs[place]
      else { return nil }
      return (pid, LiveProcess(pid)?.startTime ?? .max, program)
    }.sorted { ($0.start, $0.pid) < ($1.start, $1.pid) }
    // The kernel's account of a start is more exact than a look at /proc, so it comes first.
    _ = try take()
    for pid in known.subtracting(running.map(\.pid)) { processes.retire(pid, at: now) }
    others.formIntersection(running.map(\.pid))
    for (pid, _, program) in running
    where isConfined ? only.map(UInt32.init) == pid : isMeant(pid) {
      if let member = processes.found(pid, program.path) { addImage(program.image, to: member) }
    }
    if isRunning, !keepsFiles { releaseFiles() }
    for pid in processes.living.keys.sorted() {
      let mappings = ProcessMapping.all(of: "\(pid)")
      if let found = MappedCode.changer(among: mappings) {
        guard isRunning else { throw MappedCode.refusal(of: found, in: pid) }
        changer = found
      }
      let root = ProcessRoot(of: pid)
      for mapping in mappings where mapping.isExecutable {
        try addLibrary(mapping, of: pid, root)
      }
    }
  }

  /// Gives up the files of earlier builds, which no process uses any more.
  private mutating func releaseFiles() {
    let named: FilePlace? = if case .file(let path) = target { FilePlace(path) } else { nil }
    for file in files where file.file.place != named && users(of: file).isEmpty {
      // A service starts again from the same file.
      guard FilePlace(file.file.path) != file.file.place else { continue }
      file.finish()
      files.removeAll { $0 === file }
      programs[file.file.place] = nil
      known.remove(file.file.place)
      told[file.image] = nil
      images.release(file.image)
    }
  }

  private mutating func addLibrary(
    _ mapping: ProcessMapping, of pid: UInt32, _ root: ProcessRoot
  ) throws(Failure) {
    let path = mapping.path
    guard mapping.inode != 0, path.begins(with: "/"),
      images.wantsLibrary(root.inside(path))
    else { return }
    let link = mapping.link(of: pid)
    guard let place = FilePlace(link) else { return }
    guard let member = processes.living[pid] else { return }
    if let watched = files.first(where: { $0.file.place == place }) {
      addImage(watched.image, to: member)
    } else if known.insert(place).inserted {
      let file = try OpenFile(link, path: path)
      if let image = try add(file, seenBy: pid_t(pid), isNamed: true) {
        addImage(image, to: member)
      }
    }
  }

  mutating func finish() {
    _ = try? take()
    for file in files {
      for (pid, functions) in file.missingProbes(in: users(of: file)) {
        processes.living[pid]?.writer.addGaps(image: file.image, functions)
      }
      if file.isPending { leaveOutPending(of: file) }
      file.finish()
    }
    _ = try? take()
    processes.retireAll(at: UInt64(Clock.monotonic() * 1e9))
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
    let lost = processes.missing.processes + Int(clamping: lostStarts)
    var problems = images.problems
    if processes.missing.processes > 0 { problems.append(processes.missing.reason) }
    if lostStarts > 0 {
      problems.append(
        "\(CountText.text(Int(clamping: lostStarts), "process", "processes")) started too fast to be seen"
      )
    }
    return (lost, problems)
  }

  /// Begins to watch programs of the target that were not there before, such as a new build.
  private mutating func addPrograms() {
    if case .file(let path) = target { try? addProgram(path) }
    guard target.outlivesItsProcesses else { return }
    let named = (try? target.processes()) ?? []
    let isNamed = isNamed(named)
    for pid in named { try? addProgram(of: pid, isNamed: isNamed) }
  }
}
