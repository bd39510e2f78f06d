import ArgumentParser
import DeadCode
import DebugInfo
import FirstlightModel
import Glibc
import KeepRules
import Recording
import References
import ReportFormats
import SystemSupport
import TextFormatting

/// Writes a never-called list as its options say, and checks their gates.
struct DeadListing {
  let options: DeadOptions
  /// The folder whose rules count; nil: the working directory.
  let project: String?
  /// The folders of the projects that this may be about; the first that holds recorded code counts.
  /// Empty: all code is listed.
  let projects: [[String]]
  private let paths = SourcePaths(root: AbsolutePath.workingDirectory)

  /// Writes the list; throws the command's exit code or failure.
  func run(on profile: consuming Profile) throws {
    let sources = SourceFiles(maps: options.pathMap)
    // Who chooses modules or files wants these.
    let isChosen = options.dependencies || !options.module.isEmpty || !options.path.isEmpty
    let rules = try projectRules()
    let ownCode = OwnCode.of(
      profile, in: projects, own: options.own, rules: rules,
      base: project ?? AbsolutePath.workingDirectory, map: sources.map)
    var source: RecordedSource?
    if let index = options.usedIndex { source = RecordedSource(index, of: profile, ownCode) }
    // The profile is large: it is released before the list is written.
    let report = try report(of: consume profile, sources, rules, ownCode)
    let references = try source?.references(to: report)
    var scope = DeadCodeList.Scope.all
    if let ownCode, !isChosen {
      scope =
        report.functions.contains { $0.origin == .own } ? .own : .unknown(folder: ownCode.roots[0])
    }
    var list = DeadCodeList(
      report, scope: scope, listsForeign: options.format.isComplete, sorting: options.sorting,
      showsAll: options.all, below: options.below?.value,
      baseline: try options.baseline.map(BaselineFile.read))
    if options.minBytes > 0 { list.rows.removeAll { $0.bytes < options.minBytes } }
    references?.arrange(&list, onlyDeletable: options.deletable)
    list.missingFiles = sources.missing.filter {
      scope != .own || ownCode?.origin(of: $0) == .own
    }
    list.limit = options.limit
    list.showsFullNames = options.fullNames
    if let file = options.writeBaseline { try BaselineFile.write(Baseline(of: report), to: file) }
    let folder = options.output.flatMap(AbsolutePath.folder)
    let links = SourcePaths(root: folder ?? AbsolutePath.workingDirectory)
    try Output.write(
      options.format.text(list, references: references, paths: paths, links: links),
      to: options.output)
    try end(list, references)
  }

  private func report(
    of profile: Profile, _ sources: SourceFiles, _ rules: KeepRules, _ ownCode: OwnCode?
  ) throws -> DeadCodeReport {
    let observation = Observation(of: profile)
    let shortfall = observation.shortfall(
      minimumRuns: options.minRuns, minimumTime: options.minTime?.seconds)
    if let shortfall { throw shortfall.failure }
    var reportOptions = try reportOptions(sources, rules)
    if let ownCode { reportOptions.origin = ownCode.origin }
    let report = DeadCodeReport(of: profile, options: reportOptions)
    if report.functions.isEmpty { throw EmptyListText.failure(profile) }
    if let shortfall = report.shortfall(minimumRuns: options.minRuns) { throw shortfall.failure }
    return report
  }

  private func reportOptions(
    _ sources: SourceFiles, _ rules: KeepRules
  ) throws -> DeadCodeReport.Options {
    var result = DeadCodeReport.Options()
    result.below = options.below?.value
    result.map = sources.map
    let (module, path, exclude, paths) = (options.module, options.path, options.exclude, paths)
    func fits(_ glob: String, _ file: String?) -> Bool {
      guard let file else { return false }
      return Glob.matchesPlace(glob, file) || Glob.matchesPlace(glob, paths.shown(file))
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
    let base = SourcePaths(root: project ?? AbsolutePath.workingDirectory)
    result.keepReason = { function in
      if let reason = sources.keepReason(function) { return reason }
      return rules.reason(
        for: function, path: function.file.map(base.shown), matches: Glob.matches)
    }
    return result
  }

  private func projectRules() throws(Failure) -> KeepRules {
    let path = "\(project ?? ".")/\(KeepRules.fileName)"
    guard access(path, F_OK) == 0 else { return KeepRules() }
    let shown = project == nil ? KeepRules.fileName : path
    return try KeepRules(try TextFile.read(path), path: shown)
  }

  /// Gates are checked before losses.
  private func end(_ list: DeadCodeList, _ references: FunctionReferences?) throws {
    let gates = DeadGates(
      strict: options.strict, maxDead: options.maxDead, maxDeadBytes: options.maxDeadBytes,
      maxDeletable: options.maxDeletable)
    let exceeded = gates.exceeded(by: list, references: references)
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
}
