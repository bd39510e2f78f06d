import DebugInfo
import FirstlightModel
import FirstlightProbes
import Glibc
import ProcessControl
import SystemSupport

/// Watches all processes that run some programs through the kernel's probes, and their own libraries.
struct ProbeWatch: AttachWatch {
  private let target: AttachTarget
  private let budget: AttachBudget?
  private(set) var images: BreakpointImages
  private(set) var processes = WatchedProcesses()
  private(set) var files: [ProbedFile] = []
  /// Files that were looked at, whether they are watched or not.
  private var known: Set<FilePlace> = []
  /// A library that changes code, which a process has loaded meanwhile.
  private var changer: String?
  /// Whether the first look is over.
  private var isRunning = false
  private var programs: [FilePlace: (path: String, image: Int)] = [:]
  /// Whether only the named process is watched, because others might copy their code.
  private var isConfined = false
  /// The named process.
  private let only: pid_t?

  /// - Parameter globs: libraries to watch, besides those that belong to the program.
  init(_ target: AttachTarget, globs: [String], budget: Double?) throws(Failure) {
    self.target = target
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
    processes.living.values.filter { $0.images.contains(file.image) }.map(\.id.pid).sorted()
  }

  var paths: [String] { programs.values.map(\.path).sorted() }
  var processCount: Int { processes.living.count }
  var pageCount: Int { images.entries.reduce(0) { $0 + $1.pageCount } }
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
    if let image = try add(file, seenBy: getpid(), isNamed: true) {
      programs[file.place] = (file.path, image)
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
    if let image = try add(file, seenBy: pid, isNamed: isNamed) {
      programs[place] = (path, image)
    }
  }

  private mutating func add(
    _ file: OpenFile, seenBy pid: pid_t, isNamed: Bool
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
    let addresses = Array(images.entries[number].addresses)
    files.append(
      try ProbedFile(
        file, image: number, offsets: image.probePlaces(of: addresses),
        process: image.mayMoveItsCode ? only : nil))
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

  /// Removes the probes of called functions, and adds probes for further ones.
  ///
  /// - Returns: whether there was something to do.
  private func renew() throws(Failure) -> Bool {
    var isBusy = false
    for file in files {
      if !file.isCompared { _ = file.refuseForeignCode(in: users(of: file)) }
      if try file.takeOutCalled() { isBusy = true }
      while file.isPending, budget?.allows(cost) != false {
        isBusy = true
        try file.addGroup()
        // Lets threads that waited for the kernel's change run before the next change.
        usleep(Self.breath)
        // A function that is called all the time costs time until its probe is removed.
        _ = try file.takeOutCalled()
      }
    }
    return isBusy
  }

  /// Microseconds between additions of functions.
  private static let breath: UInt32 = 5000

  /// Looks for new processes of the programs, and for new libraries of all processes.
  private mutating func look() throws(Failure) {
    let process = isConfined ? only.map(UInt32.init) : nil
    processes.look(for: programs, only: process)
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

  private mutating func addLibrary(
    _ mapping: ProcessMapping, of pid: UInt32, _ root: ProcessRoot
  ) throws(Failure) {
    let path = mapping.path
    guard mapping.inode != 0, path.begins(with: "/"),
      images.wantsLibrary(root.inside(path))
    else { return }
    let link = mapping.link(of: pid)
    guard let place = FilePlace(link) else { return }
    if let watched = files.first(where: { $0.file.place == place }) {
      processes.note(image: watched.image, of: pid)
    } else if known.insert(place).inserted {
      let file = try OpenFile(link, path: path)
      if let image = try add(file, seenBy: pid_t(pid), isNamed: true) {
        processes.note(image: image, of: pid)
      }
    }
  }

  /// Ends the watch, and returns its recording.
  mutating func finish() -> BreakpointRecording {
    noteMissingProbes()
    for file in files { file.finish() }
    return recording()
  }

  private func noteMissingProbes() {
    for file in files { file.noteMissingProbes(in: users(of: file)) }
  }

  /// Begins to watch programs of the target that were not there before, such as a new build.
  mutating func addPrograms() {
    if case .file(let path) = target { try? addProgram(path) }
    let named = (try? target.processes()) ?? []
    let isNamed = isNamed(named)
    for pid in named { try? addProgram(of: pid, isNamed: isNamed) }
  }

  /// The recording so far; the watch goes on.
  mutating func seen() -> BreakpointRecording {
    noteMissingProbes()
    return recording()
  }

  private mutating func recording() -> BreakpointRecording {
    var calls: [UInt32: [FirstCall]] = [:]
    for file in files {
      let entry = images.entries[file.image]
      for function in entry.addresses.indices {
        guard let call = file.call(function) else { continue }
        let pid = UInt32(call.caller >> 32)
        processes.add(caller: pid, path: file.file.path, image: file.image)
        processes.note(image: file.image, of: pid)
        calls[pid, default: []].append(
          FirstCall(
            image: Int32(file.image), guardIndex: UInt32(function),
            thread: UInt32(truncatingIfNeeded: call.caller), sequence: 0, time: call.time,
            caller: entry.addresses[function]))
      }
    }
    let traces = processes.all.map { trace(of: $0, calls.removeValue(forKey: $0.id.pid) ?? []) }
    var recording = BreakpointRecording(
      traces: traces.sorted { $0.clockBase.monotonic < $1.clockBase.monotonic }, images: images)
    for file in files {
      recording.unwatched[file.image] = file.unseen
      recording.watchedSince[file.image] = file.watchedSince
    }
    return recording
  }

  private func trace(of process: WatchedProcesses.Member, _ calls: [FirstCall]) -> Trace {
    let numbers = process.images.union(calls.map { Int($0.image) }).sorted()
    let list = numbers.map { number in
      let entry = images.entries[number]
      return Image(
        buildID: entry.image.buildID,
        path: BreakpointRecording.key(image: number, path: entry.path), loadBias: 0,
        guardCount: entry.addresses.count, guardsStart: 0, drops: 0)
    }
    let ordered = calls.sorted {
      ($0.time, $0.image, $0.guardIndex) < ($1.time, $1.image, $1.guardIndex)
    }
    let firstCalls = ordered.enumerated().map { sequence, call in
      var call = call
      call.image = Int32(numbers.firstIndex(of: Int(call.image))!)
      call.sequence = UInt32(sequence)
      return call
    }
    return Trace(
      process: process.id, parentPID: process.parent, forkedFrom: nil, path: process.path,
      arguments: process.arguments, clockBase: process.clockBase, ready: nil, images: list,
      firstCalls: firstCalls, losses: Losses())
  }
}
