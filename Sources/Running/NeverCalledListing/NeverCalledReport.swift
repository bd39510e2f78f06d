import DeadCode
import DebugInfo
import FirstlightModel
import ReportFormats
import SystemSupport

/// Makes the report that a list is of, with what sources and rules say.
struct NeverCalledReport {
  let request: NeverCalledRequest
  let sources: SourceFiles
  let rules: KeepRules
  let ownCode: OwnCode?

  func report(of profile: Profile) throws(Failure) -> DeadCodeReport {
    let observation = Observation(of: profile)
    let shortfall = observation.shortfall(
      minimumRuns: request.minimumRuns, minimumTime: request.minimumTime)
    if let shortfall { throw shortfall.failure }
    var options = try options()
    if let ownCode { options.origin = ownCode.origin }
    let report = DeadCodeReport(of: profile, options: options)
    if report.functions.isEmpty { throw EmptyListText.failure(profile) }
    if let shortfall = report.shortfall(minimumRuns: request.minimumRuns) {
      throw shortfall.failure
    }
    return report
  }

  private func options() throws(Failure) -> DeadCodeReport.Options {
    var options = DeadCodeReport.Options()
    options.below = request.below
    options.map = sources.map
    options.isWanted = isWanted
    if let file = request.owners {
      let owners = CodeOwners(try TextFile.read(file))
      let paths = SourcePaths(root: AbsolutePath.workingDirectory)
      options.owners = { owners.owners(of: paths.relative($0)) }
    }
    if let file = request.gcSections { options.dropped = try dropped(file) }
    options.isImplicit = sources.isImplicit
    options.inlining = sources.inlining
    let base = SourcePaths(root: request.project ?? AbsolutePath.workingDirectory)
    let (sources, rules) = (sources, rules)
    options.keepReason = { function in
      if let reason = sources.keepReason(function) { return reason }
      return rules.reason(
        for: function, path: function.file.map(base.shown), matches: Glob.matches)
    }
    return options
  }

  private var isWanted: (String, String?) -> Bool {
    let (modules, files, excluded) = (request.modules, request.paths, request.excluded)
    let paths = SourcePaths(root: AbsolutePath.workingDirectory)
    func fits(_ glob: String, _ file: String?) -> Bool {
      guard let file else { return false }
      return Glob.matchesPlace(glob, file) || Glob.matchesPlace(glob, paths.shown(file))
    }
    return { name, file in
      (modules.isEmpty || modules.contains { Glob.matches($0, name) })
        && (files.isEmpty || files.contains { fits($0, file) })
        && !excluded.contains { Glob.matches($0, name) || fits($0, file) }
    }
  }

  private func dropped(
    _ file: String
  ) throws(Failure) -> [(name: String, demangled: String)] {
    let names = LinkerDrops.names(try TextFile.read(file))
    guard !names.isEmpty else {
      throw Failure(
        .data, "\(file): lists no dropped function section",
        advice: "save the linker's output with -Wl,--gc-sections,--print-gc-sections there")
    }
    return zip(names, Demangler.demangle(names)).map { (name: $0, demangled: $1) }
  }
}
