import DeadCode
import DebugInfo
import FirstlightModel
import ReferenceIndex
import References
import SystemSupport

/// Finds the functions of optimised code that cannot have run, though copies leave no record.
struct UnreachedSearch {
  private let builds: [Build]
  /// The project's folder; nil if unknown.
  private let folder: String?
  /// By build, if the file is still the recorded one.
  private let facts: [CallFacts]

  /// Entries of a project's folder. All of Linux has 90,000.
  private static let mostFiles = 200_000

  init(builds: [Build], folder: String?) {
    self.builds = builds
    self.folder = folder
    facts = builds.map { build in
      guard build.isOptimised, let image = try? DebugImage(path: build.path, debugDirectories: []),
        image.recordedID == build.buildID
      else { return CallFacts() }
      return image.callFacts()
    }
  }

  /// Whether more can be found without an index than debug information shows.
  var isUseful: Bool {
    facts.contains(where: \.isCompiledApart)
      || builds.contains { $0.isOptimised && $0.functions.contains(where: Self.isOfC) }
  }

  private static func isOfC(_ function: Function) -> Bool {
    function.file?.hasSuffix(".c") == true
  }

  /// The identities of functions whose calls remain calls: gcc says that it inlined none, and they have an effect.
  func callsRemain(in report: DeadCodeReport) -> Set<String> {
    let found = report.functions.lazy.filter { function in
      guard case .smallAndOptimised = function.reason else { return false }
      return function.pieces.allSatisfy { piece in
        guard piece.build >= 0, piece.kind == nil, case .guarded(let index) = piece.place,
          let address = builds[piece.build].functions[index].address
        else { return false }
        return facts[piece.build].isCompiledApart && facts[piece.build].effective.contains(address)
      }
    }
    return Set(found.map(\.identity))
  }

  /// The identities of functions of a report, by an index. Empty if the index lacks a source file that the
  /// program was made from: its references are unknown.
  static func identities(
    in report: DeadCodeReport, certain: Set<String>, _ index: ReferenceIndex,
    _ options: FunctionReferences.Options
  ) -> Set<String> {
    let isComplete = report.functions.allSatisfy { function in
      guard function.verdict != .compilerGenerated, let file = function.file else { return true }
      return isHeader(file) || index.file(file) != nil
    }
    guard isComplete else { return [] }
    return FunctionReferences.unreached(of: report, certain: certain, in: index, options: options)
  }

  private static func isHeader(_ file: String) -> Bool {
    file.hasPrefix("/usr/") || file.hasSuffix(".h")
  }

  /// The identities of C functions of a report, by the names in the source. Empty if a source file has changed since
  /// the build, or is missing.
  func identities(
    in report: DeadCodeReport, certain: Set<String>, _ options: FunctionReferences.Options
  ) -> Set<String> {
    guard let folder,
      report.functions.contains(where: { $0.isInDoubt && $0.file?.hasSuffix(".c") == true })
    else { return [] }
    var recorded: Set<String> = []
    for function in report.functions where function.verdict != .compilerGenerated {
      if let file = function.file, !file.hasPrefix("/usr/") { recorded.insert(file) }
    }
    guard let project = ProjectSources.files(in: folder, most: Self.mostFiles) else { return [] }
    var texts: [String: String] = [:]
    for file in recorded.union(project) { texts[file] = try? TextFile.read(file) }
    let built = builds.lazy.compactMap { IndexFreshness.time($0.path) }.min()
    guard let built,
      recorded.allSatisfy({ texts[$0] != nil && (IndexFreshness.time($0) ?? .max) <= built })
    else { return [] }
    var includes = IncludedFiles(texts)
    for file in includes.others(in: folder) { texts[file] = try? TextFile.read(file) }
    includes = IncludedFiles(texts)
    let units = facts.reduce(into: Set<String>()) { $0.formUnion($1.units) }
    let known = Set(texts.keys.compactMap { $0.split(separator: "/").last.map(String.init) })
    let areKnown = units.isSubset(of: known)
    let names = NameIndex(
      of: report, aliases: { self.function($0)?.aliases ?? [] },
      isLocal: { $0.pieces.contains { self.function($0)?.isLocal == true } },
      isApart: { [includes] function, file in
        guard areKnown, isCompiledApart(function), let own = function.file,
          !includes.isHeaderOfNone(file)
        else { return false }
        return !includes.isCompiled(file, with: own, units: units)
      })
    // If all code is known, so are the files that have it.
    let isKnown = areKnown && facts.allSatisfy(\.isCompiledApart)
    let files = texts.filter { (file, _) in
      !isKnown || includes.isHeaderOfNone(file) || includes.isCompiled(file, units: units)
    }
    let unseen = UnseenMacros(
      files, includes, units: isKnown ? units : nil,
      folder: folder, built: built)
    let index = names.build(files.keys.sorted(), text: { texts[$0] }, isInDoubt: unseen.mayName)
    // Excluded branches are read like others.
    var options = options
    options.marks = { _ in nil }
    return FunctionReferences.unreached(of: report, certain: certain, in: index, options: options)
  }

  /// Whether other units than the function's own have no copies of it, and keep their calls.
  private func isCompiledApart(_ function: FunctionReport) -> Bool {
    function.pieces.allSatisfy { $0.build >= 0 && facts[$0.build].isCompiledApart }
  }

  private func function(_ piece: FunctionReport.Piece) -> Function? {
    guard piece.build >= 0, case .guarded(let index) = piece.place else { return nil }
    return builds[piece.build].functions[index]
  }
}
