import FirstlightModel
import FleetModel
import Glibc
import SystemSupport
import TraceReader

extension SpoolIntake {
  /// Counts processes, as many as fit one step, adds them to the ledger's sums, and then removes
  /// their files.
  /// - Parameters:
  ///   - open: runs with processes that still run.
  ///   - isRunning: whether all of them still run: then their calls so far are counted, and the rest later.
  /// - Returns: the number of processes in the step, from the first on.
  func take(
    _ processes: ArraySlice<AdmittedProcess>, open: Set<String>, isRunning: Bool = false,
    report: inout IntakeReport
  ) throws(Failure) -> Int {
    var step = IntakeStep()
    step.removed = removed
    let candidates = processes.prefix(options.stepTraces)
    var runs = try ledger.counted(runs: Set(candidates.map(\.run)))
    var host = self.host
    var limits = sampleLimits
    limits.lower(to: try ledger.sampleLimits())
    var members: [FamilyMember] = []
    var outcome = Outcome()
    var tally = StateTally(labels: options.labels)
    var weight = 0
    for process in candidates where weight < options.stepWeight {
      outcome.count += 1
      progress.step()
      let stem = process.known.entry.stem
      journal.begin(stem)
      defer { journal.end() }
      let read =
        isRunning
        ? try readRunning(process, host: host)
        : try read(process, host: host, limits: limits, into: &outcome)
      guard let observed = read else { continue }
      if !isRunning { step.done.append(stem) }
      if observed.images.isEmpty { continue }
      // If the ledger does not know the run, its first process here counts the run, even a child
      // whose parent still runs; but not a child whose parent was counted.
      var counted = runs[process.run] ?? CoverageTally(isStarted: process.isOrphan)
      let program = observed.images[observed.program].build
      guard let seconds = tally.count(observed, run: &counted, host: &host) else { continue }
      // Samples serve orders of a start-up.
      if !isRunning, !observed.images[observed.program].isWindow,
        observed.family <= limits[program],
        let sample = FleetTrace(observed, labels: options.labels, seconds: seconds)
      {
        limits.sampled(sample.family, of: program)
        step.samples.append(sample)
      }
      runs[process.run] = counted
      weight += observed.weight
      members.append(
        FamilyMember(process: observed.process, root: process.root, run: process.run))
    }
    // A family that continues in the next step is open as well.
    let rest = processes.dropFirst(outcome.count).first?.run
    let isOpen = { (run: String) in run == rest || open.contains(run) }
    step.runs = runs.filter { isOpen($0.key) }
    step.members = members.filter { isOpen($0.run) }
    step.states = tally.states()
    for build in tally.newOnHost { step.hostCounts[build] = host.builds[build] }
    progress.step()
    let lost = try ledger.add(step)
    progress.step()
    self.host = host
    sampleLimits = limits
    removed = []
    if isRunning { report.updated += members.count } else { report.taken += members.count }
    report.problems += outcome.problems + lost.map { "\($0), so it is not counted" }
    clear(sound: outcome.sound, spoiled: outcome.spoiled, report: &report)
    return outcome.count
  }

  /// The results of one step.
  private struct Outcome {
    var count = 0
    var problems: [String] = []
    var sound: [TraceEntry] = []
    var spoiled: [(entry: TraceEntry, reason: String)] = []
  }

  /// Reads a process's files; nil if none can be read. Most need no call-by-call reading.
  private func read(
    _ process: AdmittedProcess, host: CoverageTally, limits: SampleLimits,
    into outcome: inout Outcome
  ) throws(Failure) -> ObservedProcess? {
    let entry = process.known.entry
    for keepsCalls in [false, true] {
      let ended = try spool.directory.readEnded(
        entry, keepsCalls: keepsCalls, limits: Self.limits)
      var texts = ended.problems.map(\.description)
      guard let trace = ended.trace else {
        outcome.spoiled.append((entry, Self.some(of: texts).joined(separator: "\n")))
        return nil
      }
      let observed = ObservedProcess(
        trace, called: ended.called, keepsCalls: keepsCalls, run: process.run, root: process.root,
        host: options.host, endedAt: process.known.endedAt, problems: &texts)
      if !keepsCalls, !observed.images.isEmpty,
        observed.needsCalls(
          host: host, sampleLimit: limits[observed.images[observed.program].build])
      {
        continue
      }
      if let excess = observed.excess {
        outcome.spoiled.append((entry, "\(entry.stem): process \(excess)"))
        return nil
      }
      outcome.problems += Self.some(of: texts)
      if trace.losses.unreadableSegments > 0 {
        outcome.spoiled.append((entry, Self.some(of: texts).joined(separator: "\n")))
      } else {
        outcome.sound.append(entry)
      }
      return observed
    }
    return nil
  }

  /// Reads the calls so far of a running process; nil if they cannot be counted now. Its losses and readiness count at
  /// its end.
  private func readRunning(
    _ process: AdmittedProcess, host: CoverageTally
  ) throws(Failure) -> ObservedProcess? {
    for keepsCalls in [false, true] {
      let found = try spool.directory.readRunning(
        process.known.entry, keepsCalls: keepsCalls, limits: Self.limits)
      guard let trace = found.trace else { return nil }
      var problems: [String] = []
      var observed = ObservedProcess(
        trace, called: found.called, keepsCalls: keepsCalls, run: process.run, root: process.root,
        host: options.host, endedAt: nil, problems: &problems)
      if !keepsCalls, !observed.images.isEmpty, observed.needsCalls(host: host, sampleLimit: 0) {
        continue
      }
      (observed.losses, observed.readyAfter, observed.hasEnded) = (Losses(), nil, false)
      observed.countedAt = max(observed.countedAt, Clock.realtime())
      return observed.excess == nil ? observed : nil
    }
    return nil
  }

  /// The receivers' limits for one process.
  private static let limits = ReadLimits(
    segments: TraceLimits.images, firstCalls: TraceLimits.firstCalls, readsMarks: false)

  /// A readable number of a process's problems.
  private static func some(of problems: [String]) -> [String] {
    let shown = 10
    guard problems.count > shown else { return problems }
    return problems.prefix(shown) + ["\(problems.count - shown) more of the same process"]
  }

  private func clear(
    sound: [TraceEntry], spoiled: [(entry: TraceEntry, reason: String)],
    report: inout IntakeReport
  ) {
    for (entry, reason) in spoiled {
      var size = KnownProcess(entry: entry)
      size.measure(in: spool.path, now: Clock.monotonic())
      spool.quarantine(entry, reason: reason)
      quarantine.added(bytes: size.bytes, files: size.files, reason: reason)
      report.quarantined.append("\(entry.stem): \(reason)")
      removed.append(entry.stem)
      known[entry.process] = nil
    }
    for entry in sound {
      if spool.remove(entry) { removed.append(entry.stem) } else { done.insert(entry.stem) }
      known[entry.process] = nil
    }
  }
}
