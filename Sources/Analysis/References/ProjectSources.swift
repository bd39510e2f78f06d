import Glibc
import SystemSupport

/// The source files of a project's folder.
enum ProjectSources {
  private static let endings = [".swift", ".c", ".cc", ".cpp", ".cxx", ".m", ".mm"]
  /// Of what no index holds.
  private static let otherEndings = [".h", ".hh", ".hpp", ".hxx", ".inc", ".rs", ".s", ".S"]
  /// Folders within folders, against links that lead in a circle.
  private static let deepest = 32

  /// - Parameters:
  ///   - isIndexed: whether there is an index, which covers headers.
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
          // A manifest is no code of the project.
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

  /// Whether it is a folder, and no link to one.
  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
