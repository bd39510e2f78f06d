import FirstlightModel
import FleetModel
import Glibc
import SystemSupport
import TraceReader

/// Counts what finished processes left in a spool, in the ledger.
///
/// Used by one thread at a time. Every pass may be cut off at any point: the next one finds what it
/// needs in the spool and the ledger.
package final class SpoolIntake {
  let spool: Spool
  let ledger: IntakeLedger
  let options: IntakeOptions
  /// Of processes that are being counted.
  let journal: WorkJournal
  var host: CoverageTally
  /// Counted already; their files are to be removed.
  var done: Set<String>
  /// Of `done`, those whose files are gone.
  var removed: [String] = []
  var known: [ProcessID: KnownProcess] = [:]
  var families: ProcessFamilies
  /// When families were last forgotten, seconds since 1970.
  private var lastForgetting = 0.0
  /// When unfinished files were last looked for, seconds since 1970.
  private var lastSweep = 0.0
  package let quarantine: Quarantine
  var sampleLimits: SampleLimits
  var rate: IntakeRate

  /// - Throws: `Failure` if the ledger cannot be read.
  package init(
    spool: Spool, ledger: IntakeLedger, options: IntakeOptions, journal: WorkJournal
  ) throws(Failure) {
    self.journal = journal
    self.spool = spool
    self.ledger = ledger
    self.options = options
    host = try ledger.hostCounts(labels: options.labels)
    done = try ledger.done()
    sampleLimits = SampleLimits(sampled: try ledger.sampledFamilies())
    families = ProcessFamilies(host: options.host, ledger: ledger)
    quarantine = Quarantine(
      path: spool.quarantinePath, bytesLimit: options.quarantineBytes,
      filesLimit: options.quarantineFiles)
    rate = IntakeRate(limit: options.userRate)
  }

  /// Looks at the spool once and takes in what has finished.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Throws: `Failure` if the spool or the ledger cannot be used at the moment; nothing is lost but
  ///   what goes beyond the quotas meanwhile.
  package func pass(now: Double) throws(Failure) -> IntakeReport {
    var report = IntakeReport()
    // Of another folder in the spool's place, nothing is taken in either.
    try ledger.check()
    try finishRemoving()
    let finished = try look()
    let admitted = rate.admit(finished, now: now)
    do throws(Failure) {
      let forgets = abs(now - lastForgetting) > 3600
      if forgets || !admitted.isEmpty {
        let taken = try families.sort(admitted, known: known)
        let open = try families.openRuns(known, without: Set(admitted.map(\.entry.process)))
        var rest = taken[...]
        while !rest.isEmpty {
          rest = rest.dropFirst(try take(rest, open: open, report: &report))
        }
        if forgets { try forgetFamilies(except: open, now: now) }
      }
    } catch {
      report.dropped = dropOverQuota()
      throw error
    }
    report.dropped = dropOverQuota()
    report.removed = quarantine.trim()
    if abs(now - lastSweep) > 600 {
      removeUnfinished(now: now)
      lastSweep = now
    }
    report.left = known.count
    return report
  }

  /// The most running processes that are reported.
  private static let mostShown = 1000

  /// The process files of those that have run longest.
  func runningFiles() -> [String] {
    known.values.filter(\.wasRunning).sorted { $0.startedAt < $1.startedAt }
      .prefix(Self.mostShown).map { "\(spool.path)/\($0.entry.processFile)" }
  }

  /// Once an hour, and when the clock was set back.
  private func forgetFamilies(except open: Set<String>, now: Double) throws(Failure) {
    try ledger.forgetFamilies(untouchedFor: Self.familyMemory, except: open)
    lastForgetting = now
  }

  /// Seconds for which a family without remaining processes is remembered. A child may make its files, at its
  /// own first call, when its parent was counted long ago.
  private static let familyMemory = 86400.0

  /// Files that were counted before we were killed, or could not be removed.
  private func finishRemoving() throws(Failure) {
    guard !done.isEmpty else { return }
    let present = try spool.directory.entries().filter { done.contains($0.stem) }
    let stuck = Set(present.filter { !spool.remove($0) }.map(\.stem))
    removed += done.filter { !stuck.contains($0) }
    done = stuck
  }

  /// Brings `known` up to date; returns those that have finished, oldest first.
  private func look() throws(Failure) -> [KnownProcess] {
    var liveness = Liveness()
    var finished: [KnownProcess] = []
    var present: Set<ProcessID> = []
    let now = Clock.monotonic()
    for entry in try spool.directory.entries() where !done.contains(entry.stem) {
      present.insert(entry.process)
      var process = known[entry.process] ?? KnownProcess(entry: entry)
      process.entry = entry
      if process.page == nil { process.readPage(in: spool.path) }
      if let page = process.page,
        liveness.isRunning(page.process, files: entry.mappedFiles.map { "\(spool.path)/\($0)" })
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
    // A child that was forked at the last moment may just have made its files; and a process that was
    // running a moment ago may have made a segment since.
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
  /// From its process file; nil if that cannot be read any more.
  init?(file: String) {
    guard let page = try? ProcessFile.read(path: file) else { return nil }
    self.init(
      pid: page.process.pid, path: page.path, startedAt: Double(page.clockBase.realtime) / 1e9,
      firstCalls: Int(page.firstCallCount), isReady: page.ready != nil)
  }
}

/// A process that runs, as `firstlight fleet status` shows it.
package struct RunningProcess: Hashable, Sendable {
  package var pid: UInt32
  package var path: String
  /// Seconds since 1970.
  package var startedAt: Double
  package var firstCalls: Int
  package var isReady: Bool
}
