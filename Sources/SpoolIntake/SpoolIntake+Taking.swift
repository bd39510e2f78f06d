import FirstlightModel
import FleetModel
import Glibc
import ProfileStore
import TraceReader

extension SpoolIntake {
  /// Counts processes of whole families and puts their traces into the outbox; then removes their
  /// files.
  func take(
    _ processes: ArraySlice<AdmittedProcess>, open: Set<String>, now: Double,
    report: inout IntakeReport
  ) throws(Failure) {
    var step = IntakeStep(madeAt: now)
    step.removed = removed
    var host = self.host
    var runs: [String: Counted] = [:]
    var batch: [[UInt8]] = []
    var spoiled: [(entry: TraceEntry, reason: String)] = []
    var sound: [TraceEntry] = []
    let limits = try ledger.sampleLimits()
    for process in processes {
      let entry = process.known.entry
      let (trace, problems) = try spool.directory.read(entry)
      var texts = problems.map(\.description)
      guard let trace else {
        spoiled.append((entry, texts.joined(separator: "\n")))
        continue
      }
      let observed = ObservedProcess(
        trace, run: process.run, root: process.root, host: options.host,
        endedAt: process.known.endedAt, problems: &texts)
      report.problems += texts
      if trace.losses.unreadableSegments > 0 {
        spoiled.append((entry, texts.joined(separator: "\n")))
      } else {
        sound.append(entry)
      }
      step.done.append(entry.stem)
      if observed.images.isEmpty { continue }
      var counted = runs[process.run] ?? Counted()
      if runs[process.run] == nil { counted = try self.counted(process, observed) }
      let fleetTrace = FleetTrace(
        counting: observed, run: &counted, host: &host, labels: options.labels,
        sampleLimit: limits[observed.images[observed.program].build] ?? .max)
      runs[process.run] = counted
      for image in fleetTrace.images where image.countsHost || !image.newOnHost.isEmpty {
        step.hostCounts[image.build] = host.builds[image.build]
      }
      batch.append(FleetBatch.encode(trace: fleetTrace))
      report.taken += 1
      if open.contains(process.run) {
        step.members.append(
          FamilyMember(
            process: observed.process, root: process.root, run: process.run))
      }
    }
    for (run, counted) in runs where open.contains(run) { step.runs[run] = counted }
    step.batches = [batch]
    try ledger.add(step, labels: options.labels)
    self.host = host
    removed = []
    clear(sound: sound, spoiled: spoiled, report: &report)
  }

  /// What the process's run has counted.
  private func counted(
    _ process: AdmittedProcess, _ observed: ObservedProcess
  ) throws(Failure) -> Counted {
    if let known = try ledger.counted(run: process.run) { return known }
    var counted = Counted()
    // Forked from a process that was counted when nobody knew of a child.
    counted.isStarted = process.root != observed.process
    return counted
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
      $0.files > 0 && !$0.wasRunning && !done.contains($0.entry.stem)
    }
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
