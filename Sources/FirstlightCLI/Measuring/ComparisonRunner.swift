import FirstlightModel
import Glibc
import ReportFormats
import StartupCost

/// Measures two binaries in turn.
struct ComparisonRunner {
  let a: MeasuredBinary
  let b: MeasuredBinary
  let meter: StartupMeter
  let runs: Int
  /// Nil: cold if that can be done.
  let cold: Bool?
  let dropsAllCaches: Bool

  private var both: [MeasuredBinary] { [a, b] }

  func run() throws(Failure) -> StartupComparison {
    Terminal.progress("warming up")
    let first = [try meter.observe(a), try meter.observe(b)]
    let files = try libraries(first.flatMap(\.mappedFiles))
    var notes = try exitNotes(first)
    let isCold = try decideCold(&notes)
    Terminal.progress("mapping pages")
    let maps = [try map(a, &notes), try map(b, &notes)]
    if !isCold { for binary in both { _ = try meter.observe(binary) } }

    var measured: [[StartupRun]] = [[], []]
    var kept: [String: Int] = [:]
    for round in 0..<runs {
      // Which comes first is drawn by lot: what drifts meanwhile touches both alike, and nothing else
      // on the machine can keep time with us.
      for side in Bool.random() ? [0, 1] : [1, 0] {
        Terminal.progress("run \(round + 1) of \(runs), \(both[side].letter)")
        if isCold { try dropCaches(files.dropped, &kept) }
        let observation = try meter.observe(both[side])
        guard observation.exitStatus == first[side].exitStatus else {
          throw Failure(
            .data,
            "\(both[side].title) ended with exit status \(observation.exitStatus ?? 0), "
              + "and with \(first[side].exitStatus ?? 0) before: its runs cannot be compared")
        }
        var run = observation.run
        if isCold { run.values[.cachedPages] = Double(observation.cached.count { $0 }) }
        measured[side].append(run)
      }
    }
    for (path, pages) in kept.sorted(by: { $0.key < $1.key }) {
      notes.append(
        "before a cold run up to \(CountText.text(pages, "page")) of \(path) stayed in memory: "
          + "another process has them mapped or locked")
    }
    notes += meterNotes(isCold)
    return StartupComparison(
      a: .init(facts: a.facts, runs: measured[0], map: maps[0]),
      b: .init(facts: b.facts, runs: measured[1], map: maps[1]),
      conditions: .init(
        isCold: isCold, until: meter.moment.text, arguments: meter.arguments,
        host: ThisHost.describe(), readahead: (a.cache.readahead, b.cache.readahead),
        droppedFiles: isCold ? files.dropped.map(\.path) : [],
        keptFiles: isCold ? files.kept : [], notes: notes))
  }

  /// The files whose pages are dropped before each cold run, and those that stay in memory since
  /// other processes, maybe we, have them mapped: about any process has the C library.
  private func libraries(
    _ mapped: [String]
  ) throws(Failure) -> (dropped: [FileCache], kept: [String]) {
    var dropped = [a.cache]
    if b.cache.path != a.cache.path { dropped.append(b.cache) }
    if cold == false { return (dropped, []) }
    var kept = Set(ProcessSnapshot.mappedFiles(of: "self")).intersection(mapped)
    for path in Set(mapped).subtracting(both.map(\.cache.path)).subtracting(kept).sorted() {
      if let cache = try? FileCache(path), !cache.isInMemoryOnly, cache.drop() == 0 {
        dropped.append(cache)
      } else {
        kept.insert(path)
      }
    }
    // We have the two mapped ourselves, without a page of theirs in our memory.
    return (dropped, kept.subtracting(both.map(\.cache.path)).sorted())
  }

  private func decideCold(_ notes: inout [String]) throws(Failure) -> Bool {
    if cold == false { return false }
    if dropsAllCaches { try FileCache.dropAll() }
    for binary in both {
      let left = binary.cache.isInMemoryOnly ? binary.cache.pageCount : binary.cache.drop()
      if left == 0 { continue }
      let why =
        binary.cache.isInMemoryOnly
        ? "it lies in a file system that is memory"
        : "\(CountText.text(left, "page")) stayed: another process has them mapped or locked, or "
          + "the file is not ours and the kernel does not tell"
      let what = "\(binary.title) cannot be started cold: \(why)"
      if cold == true {
        throw Failure(.unavailable, what, advice: "copy it to a disk of yours, or use --warm")
      }
      notes.append("\(what); measured warm instead")
      return false
    }
    return true
  }

  private func map(_ binary: MeasuredBinary, _ notes: inout [String]) throws(Failure) -> PageMap? {
    let observation = try meter.observe(binary, exact: true)
    guard !observation.mapped.isEmpty else { return nil }
    if !observation.isExact {
      notes.append(
        "\(binary.title): pages touched include those that the kernel maps around a touched one"
          + (meter.canTrace ? "" : ", as programs cannot be traced here"))
    }
    return PageMap(binary.facts, touched: observation.mapped, isExact: observation.isExact)
  }

  private func dropCaches(_ files: [FileCache], _ kept: inout [String: Int]) throws(Failure) {
    if dropsAllCaches { try FileCache.dropAll() }
    for file in files {
      let left = file.drop()
      if left > 0 { kept[file.path] = max(kept[file.path] ?? 0, left) }
    }
  }

  /// Fails if the two end differently: then they do not do the same work.
  private func exitNotes(_ first: [StartupMeter.Observation]) throws(Failure) -> [String] {
    guard let statusA = first[0].exitStatus, let statusB = first[1].exitStatus else { return [] }
    guard statusA == statusB else {
      throw Failure(
        .data, "\(a.title) ended with exit status \(statusA), \(b.title) with \(statusB)",
        advice: "compare binaries that do the same work")
    }
    return statusA == 0 ? [] : ["both end with exit status \(statusA)"]
  }

  private func meterNotes(_ isCold: Bool) -> [String] {
    var notes: [String] = []
    if meter.moment.port != nil {
      notes.append(
        "the port was looked for every 0.2 ms; at the end of the slowest wait "
          + "\(TimeText.milliseconds(meter.portResolution)) lay between two looks")
    }
    for answer in meter.answers.sorted() {
      notes.append(
        answer == 0 ? "what was answered is not HTTP" : "the answer's status was \(answer), not 200"
      )
    }
    if meter.moment == .exit, !meter.canTrace {
      notes.append("programs cannot be traced here: memory at their end is not known")
    }
    if a.facts.guardCount > 0 || b.facts.guardCount > 0 {
      notes.append("a binary has guards: it is not the one to ship, nor to judge by")
    }
    return notes
  }
}
