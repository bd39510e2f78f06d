import DebugInfo
import FirstlightModel
import Glibc
import SystemSupport

/// The source tree of a program. It shows the origin of code, functions to keep, and functions that compilers
/// copy or generate.
package struct SourceTree {
  /// Patterns of the user's own files; empty: `.firstlight.yml` or the directory decides.
  package var own: [String] = []
  /// Mappings `FROM=TO`.
  package var pathMaps: [String] = []
  /// The directory of the rules; nil: the working directory.
  package var project: String?
  /// The directories of candidate projects; the first one with recorded code counts. Empty: only patterns show
  /// the origin of code.
  package var projects: [[String]] = []

  package init(project: String? = nil, projects: [[String]] = []) {
    self.project = project
    self.projects = projects
  }

  /// The source tree of recorded profiles: around the working directory, or around the profiles.
  package init(around profiles: [String]) {
    projects = [[AbsolutePath.workingDirectory ?? "/"], profiles.compactMap(AbsolutePath.folder)]
      .map { $0.map(ProjectFolder.around) }
  }

  /// Adds facts from the tree about a profile's functions to a request.
  ///
  /// - Throws: `Failure` if the rules cannot be read.
  func describe(
    _ profile: borrowing Profile, to request: inout NeverCalledRequest
  ) throws(Failure) {
    let sources = SourceFiles(maps: pathMaps)
    let rules = try rules()
    let base = project ?? AbsolutePath.workingDirectory
    request.folder = AbsolutePath.workingDirectory
    request.ownCode = OwnCode.first(of: candidates(rules), for: profile, map: sources.map)
    (request.map, request.isMapped) = (sources.map, !pathMaps.isEmpty)
    request.isImplicit = sources.isImplicit
    request.inlining = sources.inlining
    request.missingFiles = { sources.missing }
    let paths = SourcePaths(root: base)
    request.keepReason = { function in
      sources.keepReason(function)
        ?? rules.reason(for: function, path: function.file.map(paths.shown))
    }
  }

  /// The rule for the origin of a program's source files.
  ///
  /// - Throws: `Failure` if the rules cannot be read.
  package func ownCode(files: some Sequence<String>) throws(Failure) -> OwnCode? {
    let sources = SourceFiles(maps: pathMaps)
    return OwnCode.first(of: candidates(try rules()), files: files, map: sources.map)
  }

  private func candidates(_ rules: KeepRules) -> [OwnCode] {
    let base = project ?? AbsolutePath.workingDirectory
    let own = own.isEmpty ? rules.own : own
    let folders = projects.isEmpty && !own.isEmpty ? [[]] : projects
    return folders.map {
      OwnCode(
        roots: $0, own: own, dependencies: rules.dependencies, tests: rules.tests, base: base)
    }
  }

  private func rules() throws(Failure) -> KeepRules {
    let path = "\(project ?? ".")/\(KeepRules.fileName)"
    guard access(path, F_OK) == 0 else { return KeepRules() }
    let shown = project == nil ? KeepRules.fileName : path
    return try KeepRules(try TextFile.read(path), path: shown)
  }
}

extension NeverCalledRequest {
  package mutating func readBaseline(_ file: String) throws(Failure) {
    baseline = try BaselineFile.read(file)
  }

  /// Reads the owners from a CODEOWNERS file.
  package mutating func readOwners(_ file: String) throws(Failure) {
    let codeOwners = CodeOwners(try TextFile.argument(file))
    let paths = SourcePaths(root: AbsolutePath.workingDirectory)
    owners = { codeOwners.owners(of: paths.relative($0)) }
  }

  /// Reads the dropped functions from the linker's output.
  package mutating func readDropped(_ file: String) throws(Failure) {
    let names = LinkerDrops.names(try TextFile.argument(file))
    guard !names.isEmpty else {
      throw Failure(
        .data, "\(file): lists no dropped function section",
        advice: "save the linker's output with -Wl,--gc-sections,--print-gc-sections there")
    }
    dropped = zip(names, Demangler.demangle(names)).map { (name: $0, demangled: $1) }
  }
}
