import FirstlightModel
import ProcessControl
import SystemSupport

/// Finds the recorded functions that the working tree has changed.
package struct ChangeFinder {
  private let repository: GitRepository
  private let tree: TreeChange
  private let request: NeverCalledRequest

  /// - Parameters:
  ///   - revision: sources are compared with the merge base of this revision and HEAD.
  ///   - request: with the facts of the source tree.
  /// - Throws: as `GitRepository.change`.
  init(since revision: String, for request: NeverCalledRequest) throws(Failure) {
    let folder = request.ownCode?.roots.first ?? AbsolutePath.workingDirectory ?? "/"
    repository = GitRepository(at: folder)
    tree = try repository.change(since: revision)
    self.request = request
  }

  /// A changed file, and what was recorded of it.
  private struct File {
    var change: TreeChange.File
    /// Its functions, except those that the compiler generated.
    var rows: [FunctionReport] = []
    /// Whether it is still the recorded text.
    var isFresh: Bool
  }

  /// - Throws: `Failure` if no recorded binary is left that knows the lines of functions.
  func change(
    of report: DeadCodeReport, _ profile: borrowing Profile
  ) throws(Failure) -> SourceChange {
    var result = SourceChange(revision: tree.revision, mergeBase: tree.mergeBase)
    result.submodules = tree.submodules
    let files = recorded(report, profile)
    result.outdated = files.filter { !$0.isFresh }.map(\.change.path)
    let known = Set(texts: files.map(\.change.path))
    let texts = ChangedTexts(tree, repository) { known.contains($0) || Self.isSource($0) }
    for file in tree.files where isOwn(file.path) && !known.contains(file.path) {
      switch Self.ending(of: file.path) {
      case let ending where Self.headers.contains(ending):
        result.linesOutside += texts.count(of: file, outside: [])
      case let ending where Self.sources.contains(ending) && !Self.isManifest(file.path):
        result.unrecorded.append(file.path)
      default: break
      }
    }
    let fresh = files.filter(\.isFresh)
    let extents = try FunctionExtents(of: fresh.flatMap(\.rows), in: profile, map: request.map)
    for file in fresh {
      let ranges = extents.extents(of: file.rows, profile)
      if isOwn(file.change.path) {
        result.linesOutside += texts.count(of: file.change, outside: ranges)
      }
      for (row, range) in zip(file.rows, ranges) {
        let hunks = file.change.hunks.filter { $0.touches(range) }
        guard !hunks.isEmpty, !texts.isMoved(range, of: file.change.path) else { continue }
        result.functions[row.identity] =
          hunks.allSatisfy(\.isAddition)
          && hunks.reduce(0) { $0 + $1.lines.clamped(to: Range(range)).count } == range.count
      }
    }
    result.reached = ChangedMacros(tree.files, in: profile).functions(of: report, profile)
      .subtracting(result.functions.keys)
    return result
  }

  /// The changed files of which functions were recorded.
  private func recorded(_ report: DeadCodeReport, _ profile: borrowing Profile) -> [File] {
    var changed: [TextBytes: TreeChange.File] = [:]
    for file in tree.files { changed[file.path] = file }
    let names = Set(texts: tree.files.map { BaseName.of($0.path) })
    // Many rows have one file.
    var places: [TextBytes: String?] = [:]
    var files: [TextBytes: File] = [:]
    for index in report.functions.indices {
      guard let file = report.functions[index].file else { continue }
      let place =
        places[file]
        ?? (names.contains(BaseName.of(file)) ? AbsolutePath.resolved(file) ?? file : nil)
      places[file] = .some(place)
      guard let place, let change = changed[place] else { continue }
      if files[place] == nil {
        files[place] = File(change: change, isFresh: isFresh(file, profile))
      }
      let row = report.functions[index]
      if row.verdict != .compilerGenerated, row.line > 0 { files[place]?.rows.append(row) }
    }
    return files.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Whether a file has the text that each build was made of.
  private func isFresh(_ file: String, _ profile: borrowing Profile) -> Bool {
    var recorded: Set<UInt64> = []
    for index in profile.builds.indices {
      let sources = profile.builds[index].sources
      if let digest = sources[file] {
        recorded.insert(digest)
      } else if request.isMapped {
        recorded.formUnion(sources.lazy.filter { request.map($0.key.text) == file }.map(\.value))
      }
    }
    // No file has the digest 0, which stands for several.
    return recorded.count == 1 && recorded.first == FileContents.digest(file)
  }

  /// Whether a file belongs to the code that the list is about.
  private func isOwn(_ file: String) -> Bool {
    request.modules.isEmpty && request.isWanted("", file)
      && (request.ownCode.map { $0.origin(of: file) == .own } ?? true)
  }

  /// Whether a repository's working tree has sources that are not committed as they are.
  package static func hasUncommittedSources(in folder: String) -> Bool {
    let change = try? GitRepository(at: folder).change(since: "HEAD")
    return change?.files.contains { isSource($0.path) } == true
  }

  private static func isSource(_ file: String) -> Bool {
    let ending = ending(of: file)
    return headers.contains(ending) || sources.contains(ending)
  }

  private static func ending(of file: String) -> TextBytes {
    TextBytes(BaseName.of(file).cutLast(at: ".")?.behind ?? "")
  }

  private static let headers: Set<TextBytes> = ["h", "hh", "hpp", "hxx", "inc", "def"]
  private static let sources: Set<TextBytes> = [
    "c", "cc", "cpp", "cxx", "m", "mm", "rs", "swift",
  ]

  /// Whether SwiftPM runs a file instead of building it.
  private static func isManifest(_ file: String) -> Bool {
    let name = BaseName.of(file)
    return name == "Package.swift" || name.begins(with: "Package@swift-")
  }
}
