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
  ///   - folder: the project's folder, of which all files count; nil if it is unknown.
  ///   - others: files beside these.
  ///   - binaries: files that name all functions and use none.
  ///   - isCompiled: whether an index has a file.
  static func words(
    _ wanted: Set<String>, in folder: String?, and others: Set<String>, without binaries: [String],
    isCompiled: (String) -> Bool
  ) -> ProjectWords {
    var words = ProjectWords(wanted)
    for file in others.union(folder.map(list) ?? []).subtracting(binaries).sorted() {
      guard let text = try? TextFile.read(file) else { continue }
      words.add(text, of: file, isCompiled: isCompiled(file))
    }
    words.addPasted()
    return words
  }

  /// Whether a folder holds a version control's data or the results of SwiftPM's builds and ours.
  private static func isSkipped(_ name: String) -> Bool {
    [".git", ".hg", ".svn"].contains(name) || name.begins(with: ".build")
  }

  private static func list(_ folder: String) -> [String] {
    var files: [String] = []
    var folders = [(path: folder, depth: 0)]
    while let (path, depth) = folders.popLast() {
      for name in (try? DirectoryListing.names(in: path)) ?? [] where !isSkipped(name) {
        let place = "\(path)/\(name)"
        var status = stat()
        guard lstat(place, &status) == 0 else { continue }
        if status.st_mode & S_IFMT == S_IFDIR {
          if depth < deepest { folders.append((place, depth + 1)) }
        } else if stat(place, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
          ProjectWords.isRead(name, isScript: { FileStart.isScript(place) })
        {
          files.append(place)
        }
      }
    }
    return files
  }
}
