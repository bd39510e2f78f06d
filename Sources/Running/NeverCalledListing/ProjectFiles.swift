import DeadCode
import FirstlightModel
import Glibc
import ReferenceIndex
import SystemSupport

/// The sources and scripts of a project that may name its functions.
enum ProjectFiles {
  /// Maximum depth of folders, in case links form a cycle.
  private static let deepest = 32

  /// The words by which files name functions.
  ///
  /// - Parameters:
  ///   - folder: the project's folder; nil if it is unknown.
  ///   - isOwn: whether a file belongs to the project.
  ///   - isCompiled: whether an index has a file.
  static func words(
    _ wanted: Set<String>, in folder: String?, and others: Set<String>,
    where isOwn: (String) -> Bool, isCompiled: (String) -> Bool
  ) -> ProjectWords {
    var words = ProjectWords(wanted)
    let files = others.union(folder.map(list) ?? []).filter(isOwn)
    for file in files.sorted() {
      guard let text = try? TextFile.read(file) else { continue }
      words.add(text, of: file, isCompiled: isCompiled(file))
    }
    return words
  }

  private static func list(_ folder: String) -> [String] {
    var files: [String] = []
    var folders = [(path: folder, depth: 0)]
    while let (path, depth) = folders.popLast() {
      for name in (try? DirectoryListing.names(in: path)) ?? [] where !name.hasPrefix(".") {
        let place = "\(path)/\(name)"
        var status = stat()
        guard lstat(place, &status) == 0 else { continue }
        if status.st_mode & S_IFMT == S_IFDIR {
          if depth < deepest { folders.append((place, depth + 1)) }
        } else if ProjectWords.isRead(name) {
          files.append(place)
        }
      }
    }
    return files
  }
}
