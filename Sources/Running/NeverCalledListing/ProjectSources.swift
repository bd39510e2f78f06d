import Glibc
import SystemSupport

/// Finds the source files in a project's folder.
enum ProjectSources {
  private static let endings = [".swift", ".c", ".cc", ".cpp", ".cxx", ".m", ".mm"]
  /// Extensions of files that no index covers.
  private static let otherEndings = [".h", ".hh", ".hpp", ".hxx", ".inc", ".rs", ".s", ".S"]
  /// Maximum depth of folders, in case links form a cycle.
  private static let deepest = 32

  /// - Parameters:
  ///   - isIndexed: whether there is an index, which also covers headers.
  ///   - isOwn: whether a file belongs to the project.
  static func files(
    in folder: String, isIndexed: Bool = true, where isOwn: (String) -> Bool
  ) -> [String] {
    let endings = isIndexed ? endings : endings + otherEndings
    var files: [String] = []
    var folders = [(path: folder, depth: 0)]
    while let (path, depth) = folders.popLast() {
      for name in (try? DirectoryListing.names(in: path)) ?? [] where !name.hasPrefix(".") {
        let place = "\(path)/\(name)"
        if endings.contains(where: name.hasSuffix) {
          // A package manifest is not part of the project's code.
          if isOwn(place), !name.hasPrefix("Package") || !name.hasSuffix(".swift") {
            files.append(place)
          }
        } else if depth < deepest, isFolder(place) {
          folders.append((place, depth + 1))
        }
      }
    }
    return files.sorted()
  }

  /// Whether the path is a folder, and not a link to one.
  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
