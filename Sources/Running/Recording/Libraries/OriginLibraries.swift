import BinaryInspection
import DebugInfo
import FirstlightModel
import Foundation
import Glibc
import SystemSupport

/// The libraries that a program finds by its own place (`$ORIGIN` in a run path), made reachable
/// from a copy of it that lies elsewhere.
///
/// The loader takes `$ORIGIN` of the program from `/proc/self/exe`, and that of a library from the
/// path under which it opened it (ld.so(8)), so links serve for libraries and not for the program.
package struct OriginLibraries {
  /// No link is made outside of it.
  private let folder: String
  private var done: Set<String> = []

  /// Links them where the copy looks for them. What cannot be linked is left to the loader to miss.
  ///
  /// - Parameters:
  ///   - original: the program where it was built.
  ///   - copy: where the same program will be started; it need not be there yet.
  ///   - folder: the directory that may be changed; absolute, and the copy lies in it.
  package static func link(from original: String, for copy: String, within folder: String) {
    guard let original = AbsolutePath.resolved(original),
      let folder = AbsolutePath.resolved(folder),
      let place = AbsolutePath.folder(of: copy).flatMap(AbsolutePath.resolved)
    else { return }
    var links = OriginLibraries(folder: folder)
    links.follow(original, as: "\(place)/\(BaseName.of(copy))")
  }

  private init(folder: String) { self.folder = folder }

  /// Links what an image needs, and what that needs in turn.
  private mutating func follow(_ original: String, as copy: String) {
    guard done.insert(copy).inserted, original != copy,
      let image = try? DebugImage(path: original, debugDirectories: []),
      let facts = try? image.facts(), let from = AbsolutePath.folder(of: original),
      let to = AbsolutePath.folder(of: copy)
    else { return }
    let entries = facts.dynamic.runPath.filter {
      $0.contains("$ORIGIN") || $0.contains("${ORIGIN}")
    }
    for name in facts.dynamic.needed where !name.contains("/") {
      for entry in entries {
        let library = Self.path(entry, origin: from) + "/" + name
        guard access(library, F_OK) == 0 else { continue }
        let place = Self.path(entry, origin: to) + "/" + name
        if link(place, to: library) { follow(library, as: place) }
        break
      }
    }
  }

  /// Whether the library can be found at a place of ours. Links lead to the file itself: what lies
  /// between may be removed.
  private func link(_ place: String, to library: String) -> Bool {
    guard place.hasPrefix(folder + "/"), let parent = AbsolutePath.folder(of: place) else {
      return false
    }
    var status = stat()
    if lstat(place, &status) == 0 {
      // A file of the user's own stays.
      guard status.st_mode & S_IFMT == S_IFLNK else { return true }
      unlink(place)
    }
    try? FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    return AbsolutePath.resolved(library).map { symlink($0, place) == 0 } ?? false
  }

  /// A run path's entry with its origin put in, without `.` and `..`.
  private static func path(_ entry: String, origin: String) -> String {
    let text = entry.replacing("${ORIGIN}", with: origin).replacing("$ORIGIN", with: origin)
    var parts: [Substring] = []
    for part in text.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }
}
