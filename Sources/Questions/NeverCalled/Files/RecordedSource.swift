import DebugInfo
import FirstlightModel
import ReferenceIndex
import SystemSupport

/// The source of a recorded build with its index, from which references are read.
struct RecordedSource {
  /// Path of an index or of a build's folder; nil for the one beside a binary.
  private let index: String?
  /// The recorded binaries.
  private let binaries: [String]
  /// End of the last recorded run, seconds since 1970.
  private let endedAt: Double
  /// The folder of the project, and that of its package; nil if unknown, or if there is none.
  private let projectFolder: String?
  private let packageFolder: String?
  /// The origin of a file's code; nil if unknown.
  private let origin: (String) -> CodeOrigin?
  /// The recorded builds of the binaries, to check that files are unchanged.
  private let builds: [Build]
  /// By path: `RecordedBuild.sources`, if all builds agree.
  private var digests: [TextBytes: UInt64] = [:]
  /// Whether functions that only users of a library may call are removable.
  private let allowsPublic: Bool
  private let check: DeletionCheck
  private let refusal: (FunctionReport) -> DeletionRefusal?

  /// - Parameters:
  ///   - index: path of an index or of a build's folder, or `auto` for the one beside a binary.
  ///   - ownCode: the owners of code; nil if unknown.
  ///   - baseline: functions that stay.
  ///   - allowsPublic: whether functions that only users of a library may call are removable.
  ///   - check: reads the declarations of what references allow to delete.
  init(
    _ index: String, of profile: borrowing Profile, _ ownCode: OwnCode?,
    baseline: Baseline? = nil, allowsPublic: Bool = false, check: @escaping DeletionCheck
  ) {
    self.allowsPublic = allowsPublic
    self.check = check
    refusal = { row in
      if row.isCalledByTestsAlone { return .tests }
      return baseline?.identities.contains(row.identity) == true ? .baseline : nil
    }
    self.index = index == "auto" ? nil : index
    binaries = profile.builds.map(\.build.path)
    endedAt = Observation(of: copy profile).endedAt
    projectFolder = ownCode?.roots.first
    packageFolder = projectFolder.flatMap(ProjectFolder.package)
    origin = { ownCode?.origin(of: $0) }
    builds = profile.builds.map(\.build)
    for recorded in profile.builds {
      // No file has the digest 0.
      digests.merge(recorded.sources) { $0 == $1 ? $0 : 0 }
    }
  }

  /// Like `references(to:)`, but nil if there is no index.
  func foundReferences(to report: DeadCodeReport) -> Result<FunctionReferences, Failure>? {
    do throws(Failure) {
      return .success(try references(to: report))
    } catch {
      return [.data, .unavailable].contains(error.kind) ? .failure(error) : nil
    }
  }

  /// The references to the functions of a report. Fails if the index is missing or damaged, or if
  /// the source has changed since.
  func references(to report: DeadCodeReport) throws(Failure) -> FunctionReferences {
    if let links = try linked(report) { return links }
    let (index, options) = try stored(report)
    return try FunctionReferences(of: report, in: index, options: options)
  }

  /// The index of the build's compiler, with the facts that are needed to read it.
  private func stored(
    _ report: DeadCodeReport
  ) throws(Failure) -> (index: ReferenceIndex, options: FunctionReferences.Options) {
    let store = try IndexStore(try location(), try IndexStoreLibrary())
    var recorded: Set<TextBytes> = []
    for function in report.functions { if let file = function.file { recorded.insert(file) } }
    try IndexFreshness(isSame: isSame).check(
      store.units.filter { origin($0.mainFile) != .dependency }, store: store.path,
      recorded: recorded, built: built, ended: ended)
    var options = options
    if let packageFolder, let manifest = try? TextFile.read("\(packageFolder)/Package.swift") {
      options.classifying.libraryModules = LibraryProducts.modules(manifest)
    }
    let index = try store.references()
    options.words = words(report, others: Set(texts: index.files.map(\.path))) {
      index.file($0) != nil
    }
    findPublicHeaders(&options)
    return (index, options)
  }

  /// Linker names that the recorded binaries export, except Swift's: an executable exports all
  /// Swift names or none, and a library's manifest shows whether others import it.
  private var exported: Set<TextBytes> {
    var names: Set<TextBytes> = []
    for binary in binaries {
      guard let image = try? DebugImage(path: binary, debugDirectories: []) else { continue }
      names.formUnion(image.exportedFunctions.lazy.filter { !$0.text.isSwiftSymbol })
    }
    return names
  }

  private var options: FunctionReferences.Options {
    var options = FunctionReferences.Options()
    options.classifying.isTest = { origin($0) == .tests }
    options.classifying.allowsPublic = allowsPublic
    options.source = { file in
      guard origin(file) != .dependency, !binaries.contains(file),
        let text = try? TextFile.read(file)
      else { return nil }
      return SourceText(Array(text.utf8), SourceLanguage(of: file))
    }
    options.exported = exported
    options.refusal = refusal
    options.check = { [check, patchFolder] candidates throws(Failure) in
      try check(candidates, patchFolder)
    }
    return options
  }

  /// The folder that patches are applied in: the repository of the project.
  var patchFolder: String {
    ProjectFolder.repository(around: projectFolder ?? AbsolutePath.workingDirectory ?? "/")
  }

  /// The words that name the functions of a report.
  ///
  /// - Parameters:
  ///   - others: files beside those of the project's folder.
  ///   - isCompiled: whether an index has a file.
  private func words(
    _ report: DeadCodeReport, others: Set<TextBytes>, isCompiled: (String) -> Bool
  ) -> ProjectWords {
    let wanted = report.functions.reduce(into: LibraryProducts.words) {
      if $1.verdict != .compilerGenerated { $0.formUnion(FunctionReferences.words(of: $1)) }
    }
    return ProjectFiles.words(
      wanted, in: projectFolder ?? packageFolder,
      and: others.filter { origin($0.text) != .dependency }, without: binaries,
      isCompiled: isCompiled)
  }

  /// In a project that makes a library, others may include its headers.
  private func findPublicHeaders(_ options: inout FunctionReferences.Options) {
    func isOwn(_ file: String) -> Bool { origin(file).map { $0 == .own } ?? true }
    guard LibraryProducts.areMade(options.words, where: isOwn) else { return }
    options.classifying.isPublicHeader = { LibraryProducts.isHeader($0) && isOwn($0) }
  }

  // MARK: Without an index

  /// Whether relocations are read if there are any: no index was named, and none is beside a binary.
  private var isLinked: Bool {
    index == nil && !binaries.contains(where: { IndexStoreLocation.beside($0) != nil })
  }

  /// References from the binaries' relocations; nil if there is an index, or no relocations.
  private func linked(_ report: DeadCodeReport) throws(Failure) -> FunctionReferences? {
    guard isLinked else { return nil }
    var links: [TextBytes: LinkReferences] = [:]
    for build in builds where links[build.path] == nil {
      guard let image = try? DebugImage(path: build.path, debugDirectories: []),
        image.recordedID == build.buildID
      else { continue }
      links[build.path] = image.linkReferences()
    }
    guard let binary = links.keys.min()?.text else { return nil }
    let files = Set(texts: report.functions.compactMap(\.file))
      .filter { origin($0.text) != .dependency }
    try IndexFreshness(isSame: isSame).check(
      files.sorted().map(\.text).map {
        IndexUnit(
          name: $0, mainFile: $0, module: "", outputFile: binary,
          time: FileTime.changed(binary) ?? 0, records: [])
      }, store: binary, recorded: files, built: built, ended: ended)
    let paths = builds.map(\.path)
    var options = options
    options.words = words(report, others: files) { files.contains($0) }
    findPublicHeaders(&options)
    var index = LinkIndex(of: report, words: options.words, source: options.source) { row in
      !row.images.isEmpty
        && row.pieces.lazy.compactMap(\.build).allSatisfy { links[paths[$0]] != nil }
    }
    for (path, references) in links.sorted(by: { $0.key < $1.key }) {
      index.add(references, of: path.text)
    }
    index.addPrototypes()
    return try FunctionReferences(of: report, in: index.build(), options: options)
  }

  private func location() throws(Failure) -> String {
    if let index { return try IndexStoreLocation.of(index) }
    for binary in binaries {
      if let found = IndexStoreLocation.beside(binary) { return found }
    }
    for binary in binaries {
      if let found = IndexStoreLocation.ofTests(around: binary) { return found }
    }
    if let binary = binaries.first, binaries.allSatisfy({ FileTime.changed($0) == nil }) {
      throw Failure(
        .noInput, "\(binary): the recorded binary is gone, and no index lies beside its place",
        advice: "build and record it again, or name the index with --index PATH")
    }
    throw Failure(
      .noInput, "\(binaries.first ?? "the recorded binary"): there is no index beside it",
      advice: "build with -index-store-path, link with -Wl,--emit-relocs, or name the index with "
        + "--index PATH")
  }

  /// Whether a file has the contents that it had at the recording.
  private func isSame(_ file: String) -> Bool {
    digests[file].map { $0 == FileContents.digest(file) } ?? false
  }

  /// End of the recording, nanoseconds since 1970.
  private var ended: Int { Int(clamping: max(endedAt, 0) * 1e9) }

  /// Link time of the newest recorded binary, limited by the end of the recording: a binary that
  /// was built again later does not count.
  private var built: Int? {
    let newest = binaries.compactMap(FileTime.changed).max()
    guard let newest else { return ended > 0 ? ended : nil }
    return ended > 0 ? min(newest, ended) : newest
  }
}
