import FirstlightModel
import Glibc
import SystemSupport

/// Digests of a build's source files. They show later that a file is the same, though its time is newer: git sets
/// the time of files that it restores.
enum SourceDigests {
  /// The project's files that functions of the build come from, also those of which only copies or counters are left, and
  /// others of their kind beside them.
  static func of(_ build: Build) -> [TextBytes: UInt64] {
    guard let project = AbsolutePath.workingDirectory.map(ProjectFolder.around),
      let built = FileTime.changed(build.path)
    else { return [:] }
    var kinds: [TextBytes: Set<TextBytes>] = [:]
    for file in Set(texts: build.functions.lazy.compactMap(\.file)).map(\.text)
    where file.begins(with: project + "/") && !file.containsUTF8("/.") {
      guard let folder = AbsolutePath.folder(of: file), let dot = file.lastIndex(ofUTF8: ".") else {
        continue
      }
      kinds[folder, default: []].insert(file[dot...])
    }
    var digests: [TextBytes: UInt64] = [:]
    for (folder, endings) in kinds {
      for name in (try? DirectoryListing.names(in: folder.text)) ?? []
      where endings.contains(where: { name.ends(with: $0.text) }) {
        let path = "\(folder)/\(name)"
        guard let changed = FileTime.changed(path), changed <= built else { continue }
        digests[path] = FileContents.digest(path)
      }
    }
    return digests
  }
}
