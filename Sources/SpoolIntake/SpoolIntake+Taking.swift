import FirstlightModel
import FleetModel
import Glibc
import ProfileStore
import TraceReader

extension SpoolIntake {
  /// Counts processes, as many as make one batch, and puts their traces into the outbox; then removes
  /// their files.
  /// - Parameter open: runs of which processes still run.
  /// - Returns: how many processes it took, from the first on.
  func take(
    _ processes: ArraySlice<AdmittedProcess>, open: Set<String>, now: Double,
    report: inout IntakeReport
  ) throws(Failure) -> Int {
    var step = IntakeStep(madeAt: now)
    step.removed = removed
    let candidates = processes.prefix(options.batchTraces)
    var runs = try ledger.counted(runs: Set(candidates.map(\.run)))
    var host = self.host
    var limits = sampleLimits
    limits.lower(to: try ledger.sampleLimits())
    var members: [FamilyMember] = []
    var outcome = Outcome()
    var bytes = 0
    for process in candidates where bytes < options.batchBytes {
      outcome.count += 1
      guard let observed = try read(process, host: host, limits: limits, into: &outcome) else {
        continue
      }
      step.done.append(process.known.entry.stem)
      if observed.images.isEmpty { continue }
      // Of a run that the ledger does not know, whoever comes first counts the run, the child too
      // whose parent still runs; but not one whose parent was counted.
      var counted = runs[process.run] ?? Counted(isStarted: process.isOrphan)
      let program = observed.images[observed.program].build
      let trace = FleetTrace(
        counting: observed, run: &counted, host: &host, labels: options.labels,
        sampleLimit: limits[program])
      if trace.calls != nil { limits.sent(trace.family, of: program) }
      runs[process.run] = counted
      for image in trace.images where image.countsHost || !image.newOnHost.isEmpty {
        step.hostCounts[image.build] = host.builds[image.build]
      }
      step.traces.append(FleetBatch.encode(trace: trace))
      bytes += step.traces.last?.count ?? 0
      members.append(
        FamilyMember(process: observed.process, root: process.root, run: process.run))
    }
    // A family of which some are left for the next batch is open as well.
    let rest = processes.dropFirst(outcome.count).first?.run
    let isOpen = { (run: String) in run == rest || open.contains(run) }
    step.runs = runs.filter { isOpen($0.key) }
    step.members = members.filter { isOpen($0.run) }
    try ledger.add(step, labels: options.labels)
    self.host = host
    sampleLimits = limits
    removed = []
    report.taken += step.traces.count
    report.problems += outcome.problems
    clear(sound: outcome.sound, spoiled: outcome.spoiled, report: &report)
    return outcome.count
  }

  /// What became of the processes of one batch.
  private struct Outcome {
    var count = 0
    var problems: [String] = []
    var sound: [TraceEntry] = []
    var spoiled: [(entry: TraceEntry, reason: String)] = []
  }

  /// Reads a process's files; nil if none of them can be. Most need not be read call by call.
  private func read(
    _ process: AdmittedProcess, host: Counted, limits: SampleLimits, into outcome: inout Outcome
  ) throws(Failure) -> ObservedProcess? {
    let entry = process.known.entry
    for keepsCalls in [false, true] {
      let ended = try spool.directory.readEnded(entry, keepsCalls: keepsCalls)
      var texts = ended.problems.map(\.description)
      guard let trace = ended.trace else {
        outcome.spoiled.append((entry, texts.joined(separator: "\n")))
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
      outcome.problems += texts
      if trace.losses.unreadableSegments > 0 {
        outcome.spoiled.append((entry, texts.joined(separator: "\n")))
      } else {
        outcome.sound.append(entry)
      }
      return observed
    }
    return nil
  }

  private func clear(
    sound: [TraceEntry], spoiled: [(entry: TraceEntry, reason: String)],
    report: inout IntakeReport
  ) {
    for (entry, reason) in spoiled {
      spool.quarantine(entry, reason: reason)
      report.quarantined.append("\(entry.stem): \(reason)")
      removed.append(entry.stem)
      known[entry.process] = nil
    }
    for entry in sound {
      if spool.remove(entry) { removed.append(entry.stem) } else { done.insert(entry.stem) }
      known[entry.process] = nil
    }
  }

  /// Removes finished processes that wait, oldest first, until what is left is within the quotas.
  func dropOverQuota() -> [String] {
    let waiting = known.values.filter {
      $0.hasEnded && !$0.wasRunning && !done.contains($0.entry.stem)
    }
    .map { $0.measured(in: spool.path) }
    .sorted { $0.startedAt < $1.startedAt }
    var all = (bytes: 0, files: 0)
    var byUser: [UInt32: (bytes: Int, files: Int)] = [:]
    for process in waiting {
      all.bytes += process.bytes
      all.files += process.files
      byUser[process.user, default: (0, 0)].bytes += process.bytes
      byUser[process.user, default: (0, 0)].files += process.files
    }
    var dropped: [String] = []
    for process in waiting {
      let own = byUser[process.user] ?? (0, 0)
      guard
        own.bytes > options.userBytes || own.files > options.userFiles
          || all.bytes > options.totalBytes || all.files > options.totalFiles
      else { continue }
      guard spool.remove(process.entry) else { continue }
      dropped.append(
        "\(process.entry.stem): \(process.page?.path ?? "an unknown program") of user \(process.user)"
      )
      known[process.entry.process] = nil
      all.bytes -= process.bytes
      all.files -= process.files
      byUser[process.user] = (own.bytes - process.bytes, own.files - process.files)
    }
    return dropped
  }
}
