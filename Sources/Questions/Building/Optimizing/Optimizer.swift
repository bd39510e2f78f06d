import DebugInfo
import FirstlightModel
import Glibc
import Inspection
import Ordering
import ProcessControl
import ProfileFile
import Recording
import Startup
import SystemSupport

/// Performs `optimize`: builds, records, orders, relinks, verifies and compares.
package struct Optimizer {
  package let builder: ProductBuilder
  package let results: ResultDirectory
  package let moment: ReadinessCondition
  package let arguments: [String]
  package let timeout: Double
  /// The number of recorded runs, and of compared runs of each binary.
  package let runs: Int
  package let comparedRuns: Int
  /// Nil: cold if possible.
  package let cold: Bool?
  package let optIns: [OptInOptimization]
  package let prefetches: Bool
  /// The glibc where the program is to run; nil: this machine's.
  package let target: GlibcVersion?
  package let looksUpConformances: Bool
  /// Variables for the program's environment.
  package let environment: [TextBytes: String]

  package init(
    builder: ProductBuilder, results: ResultDirectory, moment: ReadinessCondition,
    arguments: [String],
    timeout: Double, runs: Int, comparedRuns: Int, cold: Bool?, optIns: [OptInOptimization],
    prefetches: Bool, target: GlibcVersion? = nil, looksUpConformances: Bool = true,
    environment: [TextBytes: String] = [:]
  ) {
    self.environment = environment
    self.builder = builder
    self.results = results
    self.moment = moment
    self.arguments = arguments
    self.timeout = timeout
    self.runs = runs
    self.comparedRuns = comparedRuns
    self.cold = cold
    self.optIns = optIns
    self.prefetches = prefetches
    self.target = target
    self.looksUpConformances = looksUpConformances
  }

  /// The kernel reads this many pages in one or two requests, so fewer are not worth prefetching.
  private static let oneRead = 64

  /// This symbol shows that the program's linker got our flags, and not only that of a library.
  private static let mark = "firstlight_flags"

  private var owner: SectionOwner {
    SectionOwner(folders: [results.path] + (AbsolutePath.workingDirectory.map { [$0] } ?? []))
  }

  var files: ResultFiles { results.unfinished }

  /// Leaves its results unfinished in the directory, and the caller publishes them.
  package func run() throws(Failure) -> OptimizationOutcome {
    let (optimization, words) = try builder.restoring { () throws(Failure) in try optimized() }
    return OptimizationOutcome(
      optimization: optimization, recipe: builder.recipe, results: results, optIns: optIns,
      linkerWords: words)
  }

  private func optimized() throws(Failure) -> (Optimization, linkerWords: [String]) {
    Terminal.report("\(price); logs: \(results.path)/logs")
    try builder.buildPlain()
    try checkTarget(DebugImage(path: files.before, debugDirectories: []).facts())
    let base = try linkRecorded()
    let profile = try record()
    let order = try heedingSignals { () throws(Failure) in try self.order(profile) }
    let ordered =
      base + [LinkRecipe.linking(inOrder: files.order), LinkRecipe.ignoringUnknownNames]
    try ResultFile.write(LinkerFormat.lld.text(order), to: files.order)
    let ranges = try link(ordered, to: files.after, prefetch: files.prefetch)
    let (prefetch, conformances) = try addConformances(ordered, prefetch: ranges)
    let verification = try heedingSignals { () throws(Failure) in try verify(order.names) }
    func words(_ files: ResultFiles) -> [String] {
      base + [LinkRecipe.linking(inOrder: files.order), LinkRecipe.ignoringUnknownNames]
        + (prefetch == nil ? [] : [files.prefetch])
        + (conformances?.isKept == true ? ConformancesObject.linkerWords(files.conformances) : [])
    }
    // What is measured is what the user gets: built by the recipe, in the same place.
    let flags = builder.recipe.isSwiftPM ? files.toolset : files.flags
    try ResultFile.write(builder.recipe.file(linking: words(files)), to: flags)
    try builder.build(
      keeping: flags, "building as the recipe does", log: "build-after", to: files.after)
    var comparison = try compare(files.before, files.after)
    comparison.a.facts.path = results.files.before
    comparison.b.facts.path = results.files.after
    comparison.conditions.droppedFiles = comparison.conditions.droppedFiles.map {
      $0 == files.before ? results.files.before : $0 == files.after ? results.files.after : $0
    }
    try ResultFile.write(comparison.page, to: files.report("html"))
    try ResultFile.write(JSONForm.pretty(comparison), to: files.report("json"))
    let facts = try DebugImage(path: files.after, debugDirectories: []).facts()
    try checkTarget(facts)
    let optimization = Optimization(
      comparison: comparison, verification: verification, prefetch: prefetch,
      recordedRuns: runs, linker: UsedLinker(of: files.after)?.version ?? "",
      isPacked: facts.section(".relr.dyn") != nil, glibc: GlibcNeeds(facts),
      target: target,
      priced: pricedLevers(facts), libraries: libraries(facts), owner: owner,
      takesCompilerFlags: !builder.recipe.isSwiftPM, conformances: conformances)
    return (optimization, words(results.files))
  }

  /// The work ahead, so that users can decide whether to wait.
  private var price: String {
    let isIndexed = looksUpConformances && builder.recipe.isSwiftPM
    let links = (prefetches ? 2 : 1) * (isIndexed ? 2 : 1)
    // Beside the measured starts, there are some to warm up and to find pages.
    let starts = runs + 2 * comparedRuns * (isIndexed ? 2 : 1) + 8
    return
      "this takes \(builder.recipe.isSwiftPM ? 2 : 3) full builds, \(isIndexed ? "up to " : "")"
      + "\(CountText.text(links, "more link")) "
      + (builder.recipe.isSwiftPM ? "" : "(each a full build if it cannot be repeated alone) ")
      + "and about \(starts) starts of the program"
  }

  /// Runs a step during which nothing else handles ending signals.
  private func heedingSignals<Value>(
    _ step: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let signals = try EndingSignals { EndingSignals.end(by: $0) }
    defer { withExtendedLifetime(signals) {} }
    return try step()
  }

  /// Links the program to record, with packed relocations if possible.
  ///
  /// - Returns: the flags that the linker accepted.
  private func linkRecorded() throws(Failure) -> [String] {
    let log = "build-recorded"
    let others = optIns.flatMap(\.linkerWords)
    func link(_ words: [String]) throws(Failure) -> [String] {
      try self.link(
        words + ["--defsym=\(Self.mark)=1"], "building with own sections", log: log,
        to: files.recorded)
      // Without symbols, the mark cannot be checked. Other steps report missing symbols if they need them.
      let image = try DebugImage(path: files.recorded, debugDirectories: [])
      guard image.symbols.containsAbsolute(Self.mark) || !image.hasSymbols else {
        throw Failure(
          .data,
          "nothing was changed: the build command passes {flags} on when it links other files, but "
            + "not when it links \(BaseName.of(files.recorded))",
          advice: "pass {flags} on there too: its flags may be in another variable of the build")
      }
      return words
    }
    guard packs else { return try link(others) }
    do throws(Failure) { return try link(LinkRecipe.packing + others) } catch {
      let said = (try? TextFile.read(results.log(log))) ?? ""
      let isUnknown = said.split(at: "\n").contains {
        $0.containsUTF8("unknown") && $0.containsUTF8("pack-relative-relocs")
      }
      guard isUnknown else { throw error }
      Terminal.step("the linker cannot pack relocations; building without")
      return try link(others)
    }
  }

  /// Whether programs with packed relocations start on this machine, which measures them, and on the target.
  private var packs: Bool {
    guard let here = HostInfo.glibc, here >= .packedRelocations else { return false }
    return target.map { $0 >= .packedRelocations } ?? true
  }

  private func checkTarget(_ facts: BinaryFacts) throws(Failure) {
    if let target { try GlibcNeeds(facts)?.check(on: target, path: builder.path) }
  }

  /// File names of the shared libraries that the program needs, directly or through others.
  private func libraries(_ facts: BinaryFacts) -> [String] {
    LibrarySearch.graph(facts).nodes.dropFirst().map { BaseName.of($0.name) }
  }

  // MARK: - Record

  private func record() throws(Failure) -> Profile {
    let recorder = recorder(of: files.recorded)
    var merged = Profile()
    Terminal.step("recording \(CountText.text(runs, "run"))")
    for number in 1...runs {
      Terminal.advance("recording run \(number) of \(runs)")
      let log = try ProgramLog(results.log("record-\(number)"))
      do throws(Failure) {
        let profile = try recorder.profile(log: log)
        if merged.runs.isEmpty { merged = profile } else { try merged.merge(profile) }
      } catch {
        Terminal.clearProgress()
        throw Failure(
          error.kind, "recording run \(number): \(error.problem)",
          advice: [error.advice, "see its output in \(log.path)"]
            .filter { !$0.isEmpty }.joined(separator: "; "))
      }
    }
    Terminal.clearProgress()
    moveRecorded(in: &merged)
    try ProfileFile.write(merged, to: files.profile)
    return merged
  }

  func recorder(of program: String) -> BreakpointRecorder {
    BreakpointRecorder(
      command: [program] + arguments, until: moment, timeout: timeout, environment: environment)
  }

  /// Changes the profile's path of the recorded program to the final one.
  private func moveRecorded(in profile: inout Profile) {
    let old = [files.recorded, AbsolutePath.resolved(files.recorded)]
    let new = results.files.recorded
    for index in profile.builds.indices where old.contains(profile.builds[index].build.path) {
      profile.builds[index].build.path = new
    }
    for index in profile.processes.indices where old.contains(profile.processes[index].path) {
      profile.processes[index].path = new
    }
  }

  // MARK: - Order and link

  private func order(_ profile: Profile) throws(Failure) -> SymbolOrder {
    var request = OrderRequest()
    // Uses the path, because not every linker writes a build id. Result directories contain no wildcards.
    let path = results.files.recorded
    guard profile.builds.contains(where: { $0.build.path == path }) else {
      throw Failure(
        .data, "\(files.recorded): none of its functions was recorded",
        advice: "keep its symbols: link without -s, and do not strip it in the build command")
    }
    (request.image, request.pageSize) = (path, HostInfo.pageSize)
    request.target = (files.recorded, try TargetBinary.symbols(of: files.recorded))
    return try request.order(in: profile)
  }

  /// Links a candidate. With prefetch it links twice, because only a linked program shows which pages it
  /// touches.
  ///
  /// - Parameters:
  ///   - last: flags that stand behind the object for prefetching.
  ///   - prefetch: the path of that object.
  func link(
    _ words: [String], then last: [String] = [], to program: String, prefetch: String
  ) throws(Failure) -> PrefetchRanges? {
    guard prefetches else {
      try link(words + last, "linking in order", log: "link", to: program)
      return nil
    }
    try ToolObject.write(prefetching: [], to: prefetch)
    try link(words + [prefetch] + last, "linking in order", log: "link", to: program)
    guard let ranges = try touchedRanges(of: program), ranges.pageCount > Self.oneRead else {
      unlink(prefetch)
      try link(words + last, "linking without prefetch", log: "link", to: program)
      return nil
    }
    try ToolObject.write(prefetching: ranges.ranges, to: prefetch)
    try link(words + [prefetch] + last, "linking with prefetch", log: "link-prefetch", to: program)
    return ranges
  }

  /// Links the program. Fails if the linker did not get the flags, because it then wrote no map.
  func link(
    _ words: [String], _ what: String, log: String, to target: String
  ) throws(Failure) {
    unlink(results.map)
    try builder.build(linker: words + ["-Map=\(results.linkedMap)"], what, log: log, to: target)
    guard access(results.map, F_OK) != 0 else { return }
    unlink(target)
    throw Failure(
      .data, "nothing was changed: the build command does not pass {flags} to the linker",
      advice: "pass {flags} when linking the program, and make sure that the command relinks it; "
        + "see \(results.log(log))")
  }

  private func touchedRanges(of program: String) throws(Failure) -> PrefetchRanges? {
    let binary = try MeasuredBinary("B", program)
    Terminal.advance("finding the pages touched at start-up")
    let observation = try relinked { () throws(Failure) in
      try meter().observe(binary, exact: true)
    }
    Terminal.clearProgress()
    guard observation.isExact else {
      Terminal.report("warning: no prefetch: touched pages cannot be traced here")
      return nil
    }
    return PrefetchRanges(
      touched: observation.mapped, sections: binary.facts.sections,
      capacity: PrefetchObject.capacity)
  }

  // MARK: - Check

  private func verify(_ names: [String]) throws(Failure) -> OrderVerification {
    // A build may also pass the flags to links of other files, and link one of these last.
    let isMapped = try LinkMapFile.describes(results.map, files.after)
    let verification = try LinkedOrder.verify(
      names, in: files.after, map: isMapped ? results.map : nil, pageSize: HostInfo.pageSize)
    let trace = OrderTrace(
      before: files.before, recorded: files.recorded, candidate: files.after, owner: owner)
    try trace.check(verification)
    return verification
  }

  func compare(_ a: String, _ b: String) throws(Failure) -> StartupComparison {
    let before = try MeasuredBinary("A", a)
    let after = try MeasuredBinary("B", b)
    Terminal.step("measuring \(CountText.text(comparedRuns, "run")) of each")
    let comparison = try relinked { () throws(Failure) in
      try ComparisonRunner(
        a: before, b: after, meter: try meter(), runs: comparedRuns, cold: cold,
        dropsAllCaches: false, allowsFailure: false
      ).run()
    }
    Terminal.clearProgress()
    return comparison
  }

  private func meter() throws(Failure) -> StartupMeter {
    try StartupMeter(
      moment: moment, arguments: arguments, timeout: timeout,
      surroundings: ProgramSurroundings(environment: environment))
  }

  /// Adds the place of the results so far to a failure.
  private func relinked<Value>(_ work: () throws(Failure) -> Value) throws(Failure) -> Value {
    do throws(Failure) {
      return try work()
    } catch {
      Terminal.clearProgress()
      throw Failure(
        error.kind, "after linking in order: \(error.problem)",
        advice: [
          "the binary is \(files.after), beside the profile and the order", error.advice,
        ].filter { !$0.isEmpty }.joined(separator: "; "))
    }
  }

  /// The opt-in optimizations that apply to the program.
  private func pricedLevers(_ facts: BinaryFacts) -> [Optimization.Priced] {
    let report = BinaryReport(facts, libraries: [], input: nil)
    return OptInOptimization.allCases.filter { !optIns.contains($0) }.compactMap { optIn in
      let pages =
        switch optIn {
        case .noExportDynamic:
          report.findings.first { $0.topic == .exportedSymbols }?.cost.pages ?? 0
        }
      return pages < 16
        ? nil
        : Optimization.Priced(
          name: optIn.rawValue, gain: optIn.gain, pages: pages, price: optIn.price)
    }
  }
}
