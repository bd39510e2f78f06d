import FirstlightModel
import Glibc
import SystemSupport

/// Measures a program, and maybe an old one in alternation, until a gate can decide.
package struct GateRunner {
  package let subject: MeasuredBinary
  /// The old program; nil: its times are in a baseline.
  package let against: MeasuredBinary?
  package let meter: StartupMeter
  package let runs: Int
  package let cold: Bool
  package let maxRegression: Double
  /// The rows that decide.
  package let judged: Set<GateRow>
  /// Path of the order with which the binaries were linked.
  package let order: String?
  /// Whether programs may have another exit status than 0.
  package let allowsFailure: Bool

  package init(
    subject: MeasuredBinary, against: MeasuredBinary?, meter: StartupMeter, runs: Int, cold: Bool,
    maxRegression: Double, judged: Set<GateRow> = Set(GateRow.allCases), order: String?,
    allowsFailure: Bool
  ) {
    self.subject = subject
    self.against = against
    self.meter = meter
    self.runs = runs
    self.cold = cold
    self.maxRegression = maxRegression
    self.judged = judged
    self.order = order
    self.allowsFailure = allowsFailure
  }

  /// The numbers of runs, as multiples of `runs`, after which the gate tries to decide.
  private static let looks = [1, 2, 4]

  /// Bounds of the machine's drift, in standard deviations (99.7%). They are wide, because the drift changes
  /// between a measurement of the reference work and the program's run.
  private static let driftDeviations = 3.0

  /// Measures the program's start-up for later comparisons.
  package func baseline() throws(Failure) -> StartupBaseline {
    let prepared = try prepare()
    var series = prepared.series[0]
    let reference = ReferenceWork(pin: meter.pin)
    let count = runs * Self.looks.last!
    for run in 0..<count {
      Terminal.advance("run \(run + 1) of \(count)")
      series.add(reference.measure())
      series.runs.append(try self.run(prepared, 0))
    }
    let program = try GateProgram(subject, mapped: series.mapped, order: order)
    return StartupBaseline(
      binary: .init(path: subject.path, buildID: subject.facts.buildID?.description),
      conditions: conditions(until: meter.moment.argument, notes: []),
      exitStatus: series.exitStatus, inventory: program.inventory, order: program.order,
      runs: Dictionary(
        uniqueKeysWithValues: series.values.map { (TextBytes($0.key.rawValue), $0.value) }),
      reference: series.reference[.time] ?? [],
      referenceCPUTime: series.reference[.cpuTime] ?? [])
  }

  /// - Parameter baseline: nil: `against` is measured instead.
  package func judge(_ baseline: StartupBaseline?) throws(Failure) -> GateReport {
    var prepared = try prepare()
    var notes: [String] = []
    let program = try GateProgram(subject, mapped: prepared.series[0].mapped, order: order)
    let before = try against.map { binary throws(Failure) in
      try GateProgram(binary, mapped: prepared.series[1].mapped, order: order)
    }
    try check(prepared.series[0], baseline)
    let comparable = comparable(baseline, &notes)
    let reference = ReferenceWork(pin: meter.pin)
    var result: GateResult!
    var done = 0
    for look in Self.looks {
      while done < runs * look {
        done += 1
        Terminal.advance("run \(done) of at most \(runs * Self.looks.last!)")
        if against == nil { prepared.series[0].add(reference.measure()) }
        // The order is random, so that nothing periodic on the machine always meets the same side.
        let sides = against == nil ? [0] : Bool.random() ? [0, 1] : [1, 0]
        for side in sides { prepared.series[side].runs.append(try run(prepared, side)) }
      }
      let old: [StartupMetric: Sample]
      if against != nil {
        try checkEvenness(prepared.series)
        old = prepared.series[1].samples
      } else {
        old = Dictionary(
          uniqueKeysWithValues: StartupMetric.allCases.map { ($0, baseline!.sample($0)) })
      }
      result = GateResult(
        old: old, new: prepared.series[0].samples, comparable: comparable,
        inventory: (baseline?.inventory ?? before!.inventory, program.inventory),
        order: orders(baseline?.order ?? before?.order, program.order), judged: judged,
        maxRegression: maxRegression, looks: Self.looks.count,
        drift: against == nil ? drift(since: baseline!, prepared.series[0]) : [:])
      if result.outcome != .inconclusive { break }
    }
    return GateReport(
      result: result, program: subject.path,
      old: against?.path, runs: done,
      conditions: conditions(until: meter.moment.text, notes: notes + prepared.notes))
  }

  private func conditions(until: String, notes: [String]) -> MeasuringConditions {
    var conditions = MeasuringConditions(
      arguments: meter.arguments, until: until, isCold: cold, host: HostInfo.describe(),
      notes: notes)
    conditions.processor = meter.pin?.processor
    return conditions
  }

  /// How much longer the reference work takes than at the time of the baseline. Other programs can make the
  /// work wait although the program does not, so CPU time has a drift of its own.
  private func drift(since old: StartupBaseline, _ new: Series) -> [StartupMetric: RatioEstimate] {
    let before: [StartupMetric: [Double]] = [
      .time: old.reference, .cpuTime: old.referenceCPUTime,
    ]
    return Dictionary(
      uniqueKeysWithValues: before.compactMap { metric, times in
        RatioEstimate(
          from: Sample(times), to: Sample(new.reference[metric] ?? []),
          deviations: Self.driftDeviations
        ).map { (metric, $0) }
      })
  }

  private struct Series {
    var mapped: [String]
    var exitStatus: Int32?
    var runs: [StartupRun] = []
    /// The values of the reference work, with the same metrics as the program.
    var reference: [StartupMetric: [Double]] = [:]

    /// The values of the metrics that were measured.
    var values: [StartupMetric: [Double]] {
      Dictionary(
        uniqueKeysWithValues: GateResult.metrics.map { metric in
          (metric, runs.compactMap { $0.values[metric] })
        }
      ).filter { !$0.value.isEmpty }
    }

    var samples: [StartupMetric: Sample] { values.mapValues { Sample($0) } }

    mutating func add(_ times: ReferenceWork.Times) {
      reference[.time, default: []].append(times.elapsed)
      reference[.cpuTime, default: []].append(times.processor)
    }
  }

  private struct Prepared {
    /// The subject's series, and then the old program's.
    var series: [Series]
    var files: ColdFiles
    var notes: [String]
  }

  private var binaries: [MeasuredBinary] { [subject] + (against.map { [$0] } ?? []) }

  /// Starts each program once, unmeasured, and finds the files that cold starts have to drop.
  private func prepare() throws(Failure) -> Prepared {
    Terminal.advance("warming up")
    var series: [Series] = []
    for binary in binaries {
      let first = try meter.observe(binary)
      series.append(Series(mapped: first.mappedFiles, exitStatus: first.exitStatus))
    }
    if series.count > 1, series[0].exitStatus != series[1].exitStatus {
      throw Failure(
        .data,
        "\(subject.title) ended with exit status \(series[0].exitStatus ?? 0), "
          + "\(against?.title ?? "") with \(series[1].exitStatus ?? 0): they do not do the same work"
      )
    }
    let files = ColdFiles(binaries, mapped: series.flatMap(\.mapped), dropsAllCaches: false)
    if cold {
      for binary in binaries {
        guard let obstacle = try files.obstacle(binary) else { continue }
        throw Failure(
          .unavailable, obstacle, advice: "copy it to a disk file of your own, or leave out --cold")
      }
    }
    var notes: [String] = []
    if let status = series[0].exitStatus, status != 0 {
      guard allowsFailure else {
        throw Failure(
          .data,
          "\(subject.title) ended with exit status \(status), so its start-up failed",
          advice: "pass the arguments it needs after --, or use --ignore-failure")
      }
      notes.append("the program ends with exit status \(status)")
    }
    if binaries.contains(where: { !$0.facts.instrumentation.isEmpty }) {
      notes.append(Instrumentation.warning)
    }
    if meter.pin == nil {
      notes.append("not pinned to one CPU: there is only one, or pinning was not possible")
    }
    return Prepared(series: series, files: files, notes: notes)
  }

  private func run(_ prepared: Prepared, _ side: Int) throws(Failure) -> StartupRun {
    let observation = try meter.measure(
      binaries[side], files: cold ? prepared.files.all : []
    ) { () throws(Failure) in
      if cold { _ = try prepared.files.drop() }
    }
    guard observation.exitStatus == prepared.series[side].exitStatus else {
      throw Failure(
        .data,
        "\(binaries[side].title) ended with exit status \(observation.exitStatus ?? 0), but with "
          + "\(prepared.series[side].exitStatus ?? 0) before: its runs are not comparable")
    }
    return observation.run
  }

  /// Throws if one program found more of its files in memory, for reasons that are not its own.
  private func checkEvenness(_ series: [Series]) throws(Failure) {
    guard cold, ColdEvenness(a: series[0].runs, b: series[1].runs)?.isEven == false else { return }
    throw Failure(
      .unavailable,
      "cold starts are not comparable, because other processes have libraries mapped",
      advice: "leave out --cold")
  }

  /// Throws if the exit status differs from the earlier one.
  private func check(_ series: Series, _ baseline: StartupBaseline?) throws(Failure) {
    guard let baseline, baseline.exitStatus != series.exitStatus else { return }
    throw Failure(
      .data,
      "\(subject.title) ended with exit status \(series.exitStatus ?? 0), but with "
        + "\(baseline.exitStatus ?? 0) when the baseline was written",
      advice: "give it the same work, or rewrite the baseline with --write-baseline")
  }

  /// The metrics that can be compared with the baseline.
  private func comparable(_ baseline: StartupBaseline?, _ notes: inout [String]) -> Set<
    StartupMetric
  > {
    let all = Set(GateResult.metrics)
    guard against == nil, let baseline else { return all }
    let here = StartupBaseline.Machine(HostInfo.describe())
    var differences = here.differences(since: baseline.machine)
    if baseline.pinned != (meter.pin != nil) {
      differences.append(
        baseline.pinned ? "not pinned to one CPU, was" : "pinned to one CPU, was not")
    }
    if baseline.reference.isEmpty { differences.append("no reference times in the baseline") }
    guard !differences.isEmpty else { return all }
    notes.append(
      "conditions differ from the baseline's (\(differences.joined(separator: "; "))): times and "
        + "major faults are not compared; --against BINARY compares them on any machine")
    // The kernel decides how many pages a fault maps.
    return here.kernel == baseline.machine.kernel ? [.minorFaults] : []
  }

  private func orders(
    _ old: StartupBaseline.Order?, _ new: StartupBaseline.Order?
  ) -> (old: Double, new: Double)? {
    guard let old, let new else { return nil }
    return (old.hitRate, new.hitRate)
  }
}
