import FirstlightModel
import Glibc
import Inspection
import ProcessControl
import SystemSupport

/// Measures two binaries in alternation.
package struct ComparisonRunner {
  package let a: MeasuredBinary
  package let b: MeasuredBinary
  package let meter: StartupMeter
  package let runs: Int
  /// Nil: cold if possible.
  package let cold: Bool?
  package let dropsAllCaches: Bool
  /// Whether programs may have another exit status than 0.
  package let allowsFailure: Bool

  package init(
    a: MeasuredBinary, b: MeasuredBinary, meter: StartupMeter, runs: Int, cold: Bool?,
    dropsAllCaches: Bool, allowsFailure: Bool
  ) {
    self.a = a
    self.b = b
    self.meter = meter
    self.runs = runs
    self.cold = cold
    self.dropsAllCaches = dropsAllCaches
    self.allowsFailure = allowsFailure
  }

  private var both: [MeasuredBinary] { [a, b] }

  package func run() throws(Failure) -> StartupComparison {
    Terminal.advance("warming up")
    let first = [try meter.observe(a), try meter.observe(b)]
    let files = ColdFiles(
      both, mapped: cold == false ? [] : first.flatMap(\.mappedFiles),
      dropsAllCaches: dropsAllCaches)
    var notes = try exitNotes(first)
    var isCold = try decideCold(files, &notes)
    Terminal.advance("mapping pages")
    let maps = [try map(a, &notes), try map(b, &notes)]
    var measured = try measure(first, dropping: isCold ? files : nil)
    if isCold, cold == nil, ColdEvenness(a: measured.runs[0], b: measured.runs[1])?.isEven == false
    {
      notes.append(
        "cold starts were not comparable, because other processes had libraries mapped at times; "
          + "measured warm instead")
      isCold = false
      measured = try measure(first, dropping: nil)
    }
    for (path, pages) in measured.kept.sorted(by: { $0.key < $1.key }) {
      notes.append(
        "up to \(CountText.text(pages, "page")) of \(path) stayed in memory before cold runs: another "
          + "process has them mapped or locked")
    }
    notes += meterNotes()
    var conditions = MeasuringConditions(
      arguments: meter.arguments, until: meter.moment.text, isCold: isCold,
      host: HostInfo.describe(), notes: notes)
    conditions.readahead = (a.cache.readahead, b.cache.readahead)
    if isCold {
      conditions.droppedFiles = files.dropped.map(\.path)
      conditions.keptFiles = files.kept.map(\.path)
    }
    return StartupComparison(
      a: .init(facts: a.facts, runs: measured.runs[0], map: maps[0]),
      b: .init(facts: b.facts, runs: measured.runs[1], map: maps[1]), conditions: conditions)
  }

  /// The runs of each side, and the number of pages that could not be dropped, by file.
  private typealias Measured = (runs: [[StartupRun]], kept: [TextBytes: Int])

  /// - Parameters:
  ///   - first: an earlier start of each binary.
  ///   - files: the files to drop before each run; nil: runs are warm.
  private func measure(
    _ first: [StartupMeter.Observation], dropping files: ColdFiles?
  ) throws(Failure) -> Measured {
    if files == nil { for binary in both { _ = try meter.observe(binary) } }
    var measured: Measured = ([[], []], [:])
    for round in 0..<runs {
      // The order is random, so that drift affects both sides alike, and nothing periodic on the machine always
      // meets the same side.
      for side in Bool.random() ? [0, 1] : [1, 0] {
        Terminal.advance("run \(round + 1) of \(runs), \(both[side].title)")
        let observation = try meter.measure(both[side], files: files?.all ?? []) {
          () throws(Failure) in
          if let files { measured.kept.merge(try files.drop(), uniquingKeysWith: max) }
        }
        guard observation.exitStatus == first[side].exitStatus else {
          throw Failure(
            .data,
            "\(both[side].title) ended with exit status \(observation.exitStatus ?? 0), but with "
              + "\(first[side].exitStatus ?? 0) before: its runs are not comparable")
        }
        var run = observation.run
        if files != nil { run.values[.cachedPages] = Double(observation.cached.count { $0 }) }
        measured.runs[side].append(run)
      }
    }
    return measured
  }

  private func decideCold(
    _ files: ColdFiles, _ notes: inout [String]
  ) throws(Failure) -> Bool {
    if cold == false { return false }
    for binary in both {
      guard let obstacle = try files.obstacle(binary) else { continue }
      if cold == true {
        throw Failure(
          .unavailable, obstacle, advice: "copy it to a disk file of your own, or use --warm")
      }
      notes.append("\(obstacle); measured warm instead")
      return false
    }
    return true
  }

  private func map(_ binary: MeasuredBinary, _ notes: inout [String]) throws(Failure) -> PageMap? {
    let observation = try meter.observe(binary, exact: true)
    guard !observation.mapped.isEmpty else { return nil }
    if !observation.isExact {
      notes.append(
        "\(binary.title): touched pages include neighbours that the kernel maps with them"
          + (meter.canTrace ? "" : " (tracing is not permitted here)"))
    }
    return PageMap(binary.facts, touched: observation.mapped, isExact: observation.isExact)
  }

  /// Throws if the exit statuses differ, because the programs then do different work.
  private func exitNotes(_ first: [StartupMeter.Observation]) throws(Failure) -> [String] {
    guard let statusA = first[0].exitStatus, let statusB = first[1].exitStatus else { return [] }
    guard statusA == statusB else {
      throw Failure(
        .data, "\(a.title) ended with exit status \(statusA), \(b.title) with \(statusB)",
        advice: "compare binaries that do the same work")
    }
    guard statusA == 0 || allowsFailure else {
      throw Failure(
        .data, "both end with exit status \(statusA), so their start-up failed",
        advice: "pass the arguments they need after --, or use --ignore-failure")
    }
    return statusA == 0 ? [] : ["both end with exit status \(statusA)"]
  }

  private func meterNotes() -> [String] {
    var notes: [String] = []
    if meter.moment.port != nil {
      notes.append(
        "the port was polled \(ReadinessWatcher.intervalText); the longest interval was "
          + TimeText.milliseconds(meter.portResolution))
    }
    for answer in meter.answers.sorted() {
      notes.append(
        answer == 0 ? "the answer was not HTTP" : "the answer's status was \(answer), not 200"
      )
    }
    if meter.moment == .exit, !meter.canTrace {
      notes.append("tracing is not permitted here: memory at exit is unknown")
    }
    if meter.hasLostMemory {
      notes.append("the main thread ends before others: memory at exit is unknown")
    }
    if !a.facts.instrumentation.isEmpty || !b.facts.instrumentation.isEmpty {
      notes.append(Instrumentation.warning)
    }
    return notes
  }
}
