import DebugInfo
import FirstlightModel
import Foundation
import Glibc
import SystemSupport

/// Makes the libraries that a program finds relative to itself (`$ORIGIN` in a run path) reachable
/// from a copy of the program in another folder.
///
/// The loader takes the program's `$ORIGIN` from `/proc/self/exe`, and a library's from the path
/// that it opened (ld.so(8)), so links work for libraries, but not for the program.
package struct OriginLibraries {
  /// All links are created within this folder.
  private let folder: String
  private var done: Set<TextBytes> = []

  /// Links the libraries where the copy searches for them. If a link fails, the loader reports the library.
  ///
  /// - Parameters:
  ///   - original: the program in its build folder.
  ///   - copy: path of the program's copy; it need not exist yet.
  ///   - folder: the folder for links; absolute, and contains the copy.
  package static func link(from original: String, for copy: String, within folder: String) {
    guard let original = AbsolutePath.resolved(original),
      let folder = AbsolutePath.resolved(folder),
      let place = AbsolutePath.folder(of: copy).flatMap(AbsolutePath.resolved)
    else { return }
    var links = OriginLibraries(folder: folder)
    links.follow(original, as: "\(place)/\(BaseName.of(copy))")
  }

  private init(folder: String) { self.folder = folder }

  /// Links an image's needed libraries, and theirs in turn.
  private mutating func follow(_ original: String, as copy: String) {
    guard done.insert(copy).inserted, original != copy,
      let image = try? DebugImage(path: original, debugDirectories: []),
      let facts = try? image.facts(), let from = AbsolutePath.folder(of: original),
      let to = AbsolutePath.folder(of: copy)
    else { return }
    let entries = facts.dynamic.runPath.filter {
      $0.containsUTF8("$ORIGIN") || $0.containsUTF8("${ORIGIN}")
    }
    for name in facts.dynamic.needed where !name.containsUTF8("/") {
      for entry in entries {
        let library = Self.path(entry, origin: from) + "/" + name
        guard access(library, F_OK) == 0 else { continue }
        let place = Self.path(entry, origin: to) + "/" + name
        if link(place, to: library) { follow(library, as: place) }
        break
      }
    }
  }

  /// Whether the library is reachable at `place` within our folder. Links point to the real file,
  /// since links on the way may be removed.
  private func link(_ place: String, to library: String) -> Bool {
    guard place.begins(with: folder + "/"), let parent = AbsolutePath.folder(of: place) else {
      return false
    }
    var status = stat()
    if lstat(place, &status) == 0 {
      // A file of the user stays.
      guard status.st_mode & S_IFMT == S_IFLNK else { return true }
      unlink(place)
    }
    try? FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    return AbsolutePath.resolved(library).map { symlink($0, place) == 0 } ?? false
  }

  /// A run path's entry with its origin replaced, without `.` and `..`.
  private static func path(_ entry: String, origin: String) -> String {
    let text = entry.replacing(utf8: "${ORIGIN}", with: origin).replacing(
      utf8: "$ORIGIN", with: origin)
    var parts: [Substring] = []
    for part in text.split(at: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }
}
