import FirstlightModel
import Glibc

/// Where an image's debug information may be that is in files of its own.
///
/// Paths from a file are untrusted: only those in or below the image's folder and the debug directories are
/// opened.
struct DebugFileSearch: Sendable {
  /// Directories that hold debug files, such as `/usr/lib/debug`.
  let directories: [String]
  /// The folder where debuginfod's clients keep what they fetched; nil: none is looked into.
  var debuginfodCache: String?

  /// A candidate that can't be read, or isn't an ELF file, counts as missing.
  static func open(_ path: String, isPart: Bool = false) -> ELFFile? {
    guard access(path, R_OK) == 0, let file = try? MappedFile(path: path) else { return nil }
    return try? ELFFile(file, isPart: isPart)
  }

  /// The folder the file is really in, without symbolic links.
  static func folder(of path: String) -> String {
    guard let text = real(path) else { return "." }
    return String(text[..<(text.lastIndex(of: "/") ?? text.startIndex)])
  }

  /// A path without symbolic links; nil if nothing is there.
  private static func real(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Whether a path without `.` and `..` lies in a folder or deeper.
  static func isPath(_ path: String, below folder: String) -> Bool {
    path.utf8.starts(with: (folder.hasSuffix("/") ? folder : folder + "/").utf8)
  }

  /// Where a `.dwo` file may be: where the compiler wrote it, if it ran in a folder that encloses the
  /// program's or lies within that; else beside the program.
  ///
  /// - Parameters:
  ///   - name: what the program calls the file.
  ///   - directory: where it says that the compiler ran.
  ///   - folder: of the program.
  func splitFiles(
    _ name: String, compiledIn directory: String, beside folder: String
  ) -> [String] {
    var directory = NumberedPaths.plain(
      directory.hasPrefix("/") ? directory : "\(folder)/\(directory)")
    if let real = Self.real(directory) { directory = real }
    let isRelative = !name.hasPrefix("/")
    let path = NumberedPaths.plain(isRelative ? "\(directory)/\(name)" : name)
    var paths: [String] = []
    let isRoot = !directory.contains { $0 != "/" }
    if !isRoot,
      [(folder, directory), (directory, folder)].contains(where: {
        $0 == $1 || Self.isPath($0, below: $1)
      }),
      Self.isPath(path, below: directory)
    {
      paths.append(path)
    }
    if isRelative {
      let path = NumberedPaths.plain("\(folder)/\(name)")
      if Self.isPath(path, below: folder) { paths.append(path) }
    }
    paths.append("\(folder)/\(BaseName.of(name))")
    return paths
  }

  /// Where the debug file of a build id is, in each directory and in the cache.
  func paths(of buildID: BuildID?) -> [String] {
    guard let digits = buildID?.description.utf8, digits.count > 2 else { return [] }
    let folder = String(decoding: digits.prefix(2), as: UTF8.self)
    let rest = String(decoding: digits.dropFirst(2), as: UTF8.self)
    var paths = directories.map { "\($0)/.build-id/\(folder)/\(rest).debug" }
    if let debuginfodCache { paths.append("\(debuginfodCache)/\(folder)\(rest)/debuginfo") }
    return paths
  }
}
