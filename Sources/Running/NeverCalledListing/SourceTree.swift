import DeadCode
import DebugInfo
import FirstlightModel
import Glibc
import References
import SystemSupport
import TextFormatting

/// The source tree that a program was built from: it shows whose code is whose, what is kept, and what
/// compilers copy or make up.
package struct SourceTree {
  /// Patterns of the user's own files; empty: `.firstlight.yml` or the folder says it.
  package var own: [String] = []
  /// `FROM=TO` each.
  package var pathMaps: [String] = []
  /// The folder whose rules count; nil: the working directory.
  package var project: String?
  /// The folders of the projects that this may be about; the first that holds recorded code counts.
  /// Empty: nothing but patterns shows whose code is whose.
  package var projects: [[String]] = []

  package init(project: String? = nil, projects: [[String]] = []) {
    self.project = project
    self.projects = projects
  }

  /// The tree that recorded profiles are about: around the working directory, or around the profiles.
  package init(around profiles: [String]) {
    projects = [[AbsolutePath.workingDirectory ?? "/"], profiles.compactMap(AbsolutePath.folder)]
      .map { $0.map(ProjectFolder.around) }
  }

  /// Adds to a request what the tree shows of a profile's functions.
  ///
  /// - Throws: `Failure` if the rules cannot be read.
  func describe(
    _ profile: borrowing Profile, to request: inout NeverCalledRequest
  ) throws(Failure) {
    let sources = SourceFiles(maps: pathMaps)
    let rules = try rules()
    let base = project ?? AbsolutePath.workingDirectory
    let own = own.isEmpty ? rules.own : own
    let folders = projects.isEmpty && !own.isEmpty ? [[]] : projects
    request.folder = AbsolutePath.workingDirectory
    request.ownCode = OwnCode.first(
      of: folders.map {
        OwnCode(roots: $0, own: own, dependencies: rules.dependencies, base: base)
      }, for: profile, map: sources.map)
    request.map = sources.map
    request.isImplicit = sources.isImplicit
    request.inlining = sources.inlining
    request.missingFiles = { sources.missing }
    let paths = SourcePaths(root: base)
    request.keepReason = { function in
      sources.keepReason(function)
        ?? rules.reason(
          for: function, path: function.file.map(paths.shown), matches: Glob.matches)
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

  /// Takes the owners from a CODEOWNERS file.
  package mutating func readOwners(_ file: String) throws(Failure) {
    let codeOwners = CodeOwners(try TextFile.read(file))
    let paths = SourcePaths(root: AbsolutePath.workingDirectory)
    owners = { codeOwners.owners(of: paths.relative($0)) }
  }

  /// Takes the dropped functions from the linker's output.
  package mutating func readDropped(_ file: String) throws(Failure) {
    let names = LinkerDrops.names(try TextFile.read(file))
    guard !names.isEmpty else {
      throw Failure(
        .data, "\(file): lists no dropped function section",
        advice: "save the linker's output with -Wl,--gc-sections,--print-gc-sections there")
    }
    dropped = zip(names, Demangler.demangle(names)).map { (name: $0, demangled: $1) }
  }
}
