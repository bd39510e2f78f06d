import ArgumentParser
import DeadCode
import DebugInfo
import FirstlightModel
import Glibc
import KeepRules
import Recording
import ReportFormats
import SystemSupport
import TextFormatting

/// Writes a never-called list as its options say, and checks their gates.
struct DeadListing {
  let options: DeadOptions
  private let paths = SourcePaths(root: AbsolutePath.workingDirectory)

  init(options: DeadOptions) { self.options = options }

  /// Writes the list; throws the command's exit code or failure.
  func run(on profile: consuming Profile) throws {
    let sources = SourceFiles(maps: options.pathMap)
    // The profile is large: it is released before the list is written.
    let report = try report(of: consume profile, sources)
    var list = DeadCodeList(
      report, sorting: options.sort, showsAll: options.all, below: options.below?.value,
      baseline: try options.baseline.map(BaselineFile.read))
    if options.minBytes > 0 { list.rows.removeAll { $0.bytes < options.minBytes } }
    list.missingFiles = sources.missing
    if let file = options.writeBaseline { try BaselineFile.write(Baseline(of: report), to: file) }
    let folder = options.output.flatMap { output -> String? in
      let path = AbsolutePath.of(output)
      return path.lastIndex(of: "/").map { String(path[..<$0]) }
    }
    let links = SourcePaths(root: folder ?? AbsolutePath.workingDirectory)
    try Output.write(options.format.text(list, paths: paths, links: links), to: options.output)
    try end(list)
  }

  private func report(of profile: Profile, _ sources: SourceFiles) throws -> DeadCodeReport {
    try demandEvidence(Observation(of: profile))
    let report = DeadCodeReport(of: profile, options: try reportOptions(sources))
    if report.functions.isEmpty { throw nothing(in: profile) }
    try demand(report.shortfall(minimumRuns: options.minRuns))
    return report
  }

  private func reportOptions(_ sources: SourceFiles) throws -> DeadCodeReport.Options {
    var result = DeadCodeReport.Options()
    result.below = options.below?.value
    result.map = sources.map
    let (module, path, exclude, paths) = (options.module, options.path, options.exclude, paths)
    func fits(_ glob: String, _ file: String?) -> Bool {
      guard let file else { return false }
      return Glob.matches(glob, file) || Glob.matches(glob, paths.shown(file))
    }
    result.isWanted = { name, file in
      (module.isEmpty || module.contains { Glob.matches($0, name) })
        && (path.isEmpty || path.contains { fits($0, file) })
        && !exclude.contains { Glob.matches($0, name) || fits($0, file) }
    }
    if let file = options.owners {
      let owners = CodeOwners(try TextFile.read(file))
      result.owners = { owners.owners(of: paths.relative($0)) }
    }
    if let file = options.gcSections {
      let names = LinkerDrops.names(try TextFile.read(file))
      guard !names.isEmpty else {
        throw Failure(
          .data, "\(file): lists no dropped function section",
          advice: "save the linker's output with -Wl,--gc-sections,--print-gc-sections there")
      }
      result.dropped = zip(names, Demangler.demangle(names)).map { (name: $0, demangled: $1) }
    }
    result.isImplicit = sources.isImplicit
    result.inlining = sources.inlining
    let rules = try keepRules()
    result.keepReason = { function in
      if let reason = sources.keepReason(function) { return reason }
      return rules?.reason(
        for: function, path: function.file.map(paths.shown), matches: Glob.matches)
    }
    return result
  }

  private func keepRules() throws(Failure) -> KeepRules? {
    guard access(KeepRules.fileName, F_OK) == 0 else { return nil }
    return try KeepRules(try TextFile.read(KeepRules.fileName), path: KeepRules.fileName)
  }

  private func demandEvidence(_ observation: Observation) throws(Failure) {
    try demand(
      observation.shortfall(
        minimumRuns: options.minRuns, minimumTime: options.minTime?.seconds))
  }

  private func demand(_ shortfall: Observation.Shortfall?) throws(Failure) {
    switch shortfall {
    case nil: return
    case .runsOfSome(let runs, let all, let wanted):
      throw Failure(
        .insufficientEvidence,
        "insufficient evidence: only \(CountText.number(runs)) of \(CountText.text(all, "run")) "
          + "recorded some of the never-called functions; --min-runs requires "
          + CountText.number(wanted),
        advice: "record more runs of each build, or choose modules with --module")
    case .runs(let runs, let wanted):
      throw Failure(
        .insufficientEvidence,
        "insufficient evidence: \(CountText.text(runs, "run")) recorded; --min-runs requires "
          + CountText.number(wanted), advice: "record more runs and pass all profiles")
    case .time(let seconds, let wanted):
      throw Failure(
        .insufficientEvidence,
        "insufficient evidence: \(TimeText.text(seconds)) recorded; --min-time requires "
          + TimeText.text(wanted), advice: "record longer or more often, and pass all profiles")
    }
  }

  /// Gates are checked before losses.
  private func end(_ list: DeadCodeList) throws {
    let dead = list.dead
    let bytes = dead.reduce(0) { $0 + $1.bytes }
    let stale = list.report.staleKeeps.count
    var exceeded: [String] = []
    if options.strict, list.deadCount > 0 || stale > 0 {
      exceeded.append(
        "--strict: \(CountText.text(list.deadCount, "function")) listed, "
          + CountText.text(stale, "stale keep"))
    }
    if let limit = options.maxDead, list.deadCount > limit {
      exceeded.append(
        "--max-dead \(limit): \(CountText.text(list.deadCount, "function")) listed")
    }
    if let limit = options.maxDeadBytes, bytes > limit {
      exceeded.append(
        "--max-dead-bytes \(limit): \(CountText.number(Int(clamping: bytes))) bytes listed")
    }
    for line in exceeded { Terminal.report("gate exceeded: \(line)") }
    if !exceeded.isEmpty { throw ExitCode(1) }
    let losses = list.report.observation.losses
    if !losses.isEmpty {
      throw Failure(
        .lossy,
        "the recording is incomplete (\(LossText.text(losses))): listed functions may have run",
        advice: "see firstlight info, and record again")
    }
  }

  private func nothing(in profile: Profile) -> Failure {
    let modules = Set(
      profile.builds.flatMap { recorded in
        recorded.build.functions.map { $0.moduleName(in: recorded.build) }
      }
    ).sorted()
    if modules.isEmpty {
      return Failure(
        .data, "the profile contains no functions",
        advice: "build with the flags that firstlight flags prints, or record with --no-rebuild")
    }
    return Failure(
      .data, "no function matches --module, --path and --exclude",
      advice: "recorded modules: \(modules.prefix(12).joined(separator: ", "))"
        + (modules.count > 12 ? ", ..." : ""))
  }
}
