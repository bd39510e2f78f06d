import FirstlightModel
import FleetModel
import Glibc
import SystemSupport
import TraceReader

/// Counts the recordings of finished processes in a spool, and adds them to the ledger.
///
/// Used by one thread at a time. A pass may be interrupted at any point: the next one finds the
/// necessary state in the spool and the ledger.
package final class SpoolIntake {
  let spool: Spool
  let ledger: IntakeLedger
  let options: IntakeOptions
  /// Notes which process is being counted.
  let journal: WorkJournal
  var host: CoverageTally
  /// Stems of counted processes whose files must be removed.
  var done: Set<String>
  /// Those of `done` whose files were removed.
  var removed: [String] = []
  var known: [ProcessID: KnownProcess] = [:]
  var families: ProcessFamilies
  /// Time when families were last forgotten, seconds since 1970.
  private var lastForgetting = 0.0
  /// Time when running processes were last counted, seconds since 1970.
  private var lastCountOfRunning = 0.0
  /// Time of the last search for unfinished files, seconds since 1970.
  private var lastSweep = 0.0
  package let quarantine: Quarantine
  var sampleLimits: SampleLimits
  var rate: IntakeRate
  /// Of the current pass.
  var progress = PassProgress()

  /// - Throws: `Failure` if the ledger cannot be read.
  package init(
    spool: Spool, ledger: IntakeLedger, options: IntakeOptions, journal: WorkJournal
  ) throws(Failure) {
    self.journal = journal
    self.spool = spool
    self.ledger = ledger
    self.options = options
    try ledger.belongs(to: options.host)
    host = try ledger.hostCounts()
    done = try ledger.done()
    sampleLimits = SampleLimits(sampled: try ledger.sampledFamilies())
    families = ProcessFamilies(host: options.host, ledger: ledger)
    quarantine = Quarantine(
      path: spool.quarantinePath, bytesLimit: options.quarantineBytes,
      filesLimit: options.quarantineFiles)
    rate = IntakeRate(limit: options.userRate)
  }

  /// Scans the spool once and counts the finished processes.
  ///
  /// - Parameters:
  ///   - now: seconds since 1970.
  ///   - progress: learns of each step.
  /// - Throws: `Failure` if the spool or the ledger is currently unusable; this loses only data
  ///   that exceeds the quotas meanwhile.
  package func pass(
    now: Double, _ progress: PassProgress = PassProgress()
  ) throws(Failure) -> IntakeReport {
    self.progress = progress
    progress.step()
    defer { progress.end() }
    var report = IntakeReport()
    // If another folder replaced the spool, nothing is counted from it.
    try ledger.check()
    try finishRemoving()
    let finished = try look().filter { !journal.isPostponed($0.entry.stem, at: now) }
    let admitted = rate.admit(finished, now: now)
    do throws(Failure) {
      let forgets = abs(now - lastForgetting) > 3600
      let countsRunning = abs(now - lastCountOfRunning) > 3600
      if forgets || countsRunning || !admitted.isEmpty {
        let taken = try families.sort(admitted, known: known)
        let open = try families.openRuns(known, without: Set(admitted.map(\.entry.process)))
        var rest = taken[...]
        while !rest.isEmpty {
          rest = rest.dropFirst(try take(rest, open: open, report: &report))
        }
        if countsRunning { try countRunning(now: now, report: &report) }
        if forgets { try forgetFamilies(except: open, now: now) }
      }
    } catch {
      dropOverQuota(report: &report)
      throw error
    }
    dropOverQuota(report: &report)
    report.removed = quarantine.trim()
    if abs(now - lastSweep) > 600 {
      removeUnfinished(now: now)
      lastSweep = now
    }
    report.left = known.count
    return report
  }

  /// Counts the calls so far of processes that have run for more than an hour. Runs once an hour, and first at the
  /// start.
  private func countRunning(now: Double, report: inout IntakeReport) throws(Failure) {
    let running = known.values.filter {
      $0.wasRunning && ($0.page.map { now - $0.begunAt > 3600 } ?? false)
        && !journal.isPostponed($0.entry.stem, at: now)
    }
    lastCountOfRunning = now
    let admitted = try families.sort(running, known: known)
    let open = try families.openRuns(known, without: [])
    var rest = admitted[...]
    while !rest.isEmpty {
      rest = rest.dropFirst(try take(rest, open: open, isRunning: true, report: &report))
    }
  }

  /// Maximum number of reported running processes.
  private static let mostShown = 1000

  /// The process files of the longest-running processes.
  func runningFiles() -> [String] {
    known.values.filter(\.wasRunning).sorted { $0.startedAt < $1.startedAt }
      .prefix(Self.mostShown).map { "\(spool.path)/\($0.entry.processFile)" }
  }

  /// Runs once an hour, and when the clock was set back.
  private func forgetFamilies(except open: Set<String>, now: Double) throws(Failure) {
    try ledger.forgetFamilies(untouchedFor: Self.familyMemory, except: open)
    lastForgetting = now
  }

  /// Seconds for which a family without remaining processes is remembered. A child creates its
  /// files at its own first call, when its parent may have been counted long ago.
  private static let familyMemory = 86400.0

  /// Removes files that were counted before the daemon was killed, or that could not be removed.
  private func finishRemoving() throws(Failure) {
    guard !done.isEmpty else { return }
    let present = try spool.directory.entries().filter { done.contains($0.stem) }
    let stuck = Set(present.filter { !spool.remove($0) }.map(\.stem))
    removed += done.filter { !stuck.contains($0) }
    done = stuck
  }

  /// Updates `known`; returns the finished processes, oldest first.
  private func look() throws(Failure) -> [KnownProcess] {
    var liveness = Liveness()
    var finished: [KnownProcess] = []
    var present: Set<ProcessID> = []
    let now = Clock.monotonic()
    for entry in try spool.directory.entries() where !done.contains(entry.stem) {
      progress.step()
      present.insert(entry.process)
      var process = known[entry.process] ?? KnownProcess(entry: entry)
      process.entry = entry
      process.readPage(in: spool.path)
      if let writer = process.writer,
        liveness.isRunning(
          writer, files: entry.mappedFiles.map(spool.file),
          inherited: entry.counterFiles.map(spool.file))
      {
        process.wasRunning = true
        process.measure(in: spool.path, now: now, atMostEvery: 10)
      } else {
        process.endedNow()
        finished.append(process)
      }
      known[entry.process] = process
    }
    known = known.filter { present.contains($0.key) }
    guard !finished.isEmpty else { return [] }
    // A child forked at the last moment may just have created its files, and a process that was
    // running a moment ago may have created a segment since.
    var entries: [ProcessID: TraceEntry] = [:]
    for entry in try spool.directory.entries() where !done.contains(entry.stem) {
      entries[entry.process] = entry
      if known[entry.process] == nil {
        var process = KnownProcess(entry: entry)
        process.readPage(in: spool.path)
        known[entry.process] = process
      }
    }
    return finished.map { process in
      var process = process
      process.entry = entries[process.entry.process] ?? process.entry
      process.measure(in: spool.path, now: now)
      known[process.entry.process] = process
      return process
    }
  }
}

extension RunningProcess {
  /// Reads a process file; nil if it cannot be read any more.
  init?(file: String) {
    guard let page = try? ProcessFile.read(path: file) else { return nil }
    self.init(
      pid: page.process.pid, path: page.path, startedAt: Double(page.clockBase.realtime) / 1e9,
      firstCalls: Int(page.firstCallCount), isReady: page.ready != nil)
  }
}

/// A running process, as `firstlight fleet status` shows it.
package struct RunningProcess: Hashable, Sendable {
  package var pid: UInt32
  package var path: String
  /// Seconds since 1970.
  package var startedAt: Double
  package var firstCalls: Int
  package var isReady: Bool
}
