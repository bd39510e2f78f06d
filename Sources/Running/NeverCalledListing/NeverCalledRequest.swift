import DeadCode
import FirstlightModel
import Glibc
import References
import ReportFormats
import SystemSupport

/// What a never-called list is to be about: the choices that all commands share that read one.
package struct NeverCalledRequest {
  /// Patterns of modules; empty: all.
  package var modules: [String] = []
  /// Patterns of source files and folders; empty: all.
  package var paths: [String] = []
  /// Patterns of modules and files that are left out.
  package var excluded: [String] = []
  /// Patterns of files that are the user's own code; empty: `.firstlight.yml` or the folder says
  /// it.
  package var own: [String] = []
  /// Whether tests and dependencies are listed, too.
  package var listsDependencies = false
  /// Whether the rows are those of all code, whatever gates count.
  package var listsForeign = false
  package var sorting = DeadCodeList.Sorting.module
  package var showsAll = false
  package var minimumBytes: UInt64 = 0
  package var minimumRuns: Int?
  /// Seconds.
  package var minimumTime: Double?
  /// Share of the runs.
  package var below: Double?
  /// Files.
  package var baseline, owners, gcSections: String?
  /// `FROM=TO` each.
  package var pathMaps: [String] = []
  /// `auto`, or the path of an index; nil: no references.
  package var index: String?
  /// Whether only functions are listed that can be deleted; needs an index.
  package var onlyDeletable = false
  /// The folder whose rules count; nil: the working directory.
  package var project: String?
  /// The folders of the projects that this may be about; the first that holds recorded code counts.
  /// Empty: all code is listed.
  package var projects: [[String]] = []

  package init() {}

  /// The folders that a list of recorded profiles is about: around the working directory, or around
  /// the profiles.
  package static func projects(around profiles: [String]) -> [[String]] {
    [[AbsolutePath.workingDirectory ?? "/"], profiles.compactMap(AbsolutePath.folder)]
      .map { $0.map(ProjectFolder.around) }
  }

  /// The list, and the references to its functions if they are asked for. Fails if too little was
  /// recorded, or if a file that it names cannot be read.
  package func answer(from profile: consuming Profile) throws(Failure) -> NeverCalledAnswer {
    let sources = SourceFiles(maps: pathMaps)
    let rules = try projectRules()
    let ownCode = OwnCode.of(
      profile, in: projects, own: own, rules: rules, base: project ?? AbsolutePath.workingDirectory,
      map: sources.map)
    var source: RecordedSource?
    if let index { source = RecordedSource(index, of: profile, ownCode) }
    // The profile is large: it is released before the list is made.
    let report = try NeverCalledReport(
      request: self, sources: sources, rules: rules, ownCode: ownCode
    ).report(of: consume profile)
    let references = try source?.references(to: report)
    var list = try list(of: report, ownCode, missing: sources.missing)
    var undeletable: [ReferenceGroup: Int] = [:]
    for row in list.gated {
      guard let group = references?.group(row.identity), group != .deletable else { continue }
      undeletable[group, default: 0] += 1
    }
    references?.arrange(&list, onlyDeletable: onlyDeletable)
    return NeverCalledAnswer(list: list, references: references, undeletable: undeletable)
  }

  /// Who chooses modules or files wants these, whosever they are.
  private var isChosen: Bool { listsDependencies || !modules.isEmpty || !paths.isEmpty }

  private func list(
    of report: DeadCodeReport, _ ownCode: OwnCode?, missing: [String]
  ) throws(Failure) -> DeadCodeList {
    var scope = DeadCodeList.Scope.all
    if let ownCode, !isChosen {
      scope =
        report.functions.contains { $0.origin == .own } ? .own : .unknown(folder: ownCode.roots[0])
    }
    var known: Baseline?
    if let baseline { known = try BaselineFile.read(baseline) }
    var list = DeadCodeList(
      report, scope: scope, listsForeign: listsForeign, sorting: sorting, showsAll: showsAll,
      below: below, baseline: known)
    if minimumBytes > 0 { list.rows.removeAll { $0.bytes < minimumBytes } }
    list.missingFiles = missing.filter { scope != .own || ownCode?.origin(of: $0) == .own }
    return list
  }

  private func projectRules() throws(Failure) -> KeepRules {
    let path = "\(project ?? ".")/\(KeepRules.fileName)"
    guard access(path, F_OK) == 0 else { return KeepRules() }
    let shown = project == nil ? KeepRules.fileName : path
    return try KeepRules(try TextFile.read(path), path: shown)
  }
}
