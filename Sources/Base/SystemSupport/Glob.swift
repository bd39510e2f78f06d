import FirstlightModel
import Glibc

/// Shell patterns.
package enum Glob {
  /// `*` matches any characters, including `/`; `?` matches one character.
  package static func matches(_ pattern: String, _ text: String) -> Bool {
    fnmatch(pattern, text, 0) == 0
  }

  /// Whether a source file's path matches, or lies in the file or folder of a pattern without
  /// wildcards: `Sources`, `./Sources/App/`, `main.c`.
  ///
  /// - Parameter folder: the pattern may be of the path from here.
  package static func matchesPlace(
    _ pattern: String, _ path: String, from folder: String? = nil
  ) -> Bool {
    if matches(pattern, path) { return true }
    if let folder, let inside = path.removing(prefix: folder + "/"),
      matchesPlace(pattern, String(inside))
    {
      return true
    }
    guard !pattern.utf8.contains(where: { "*?[".utf8.contains($0) }) else { return false }
    var place = Substring(pattern)
    place = place.removing(prefix: "./") ?? place
    while place != "/", let shorter = place.removing(suffix: "/") { place = shorter }
    guard !place.isEmpty else { return false }
    return "/\(path)/".containsUTF8(place.begins(with: "/") ? "\(place)/" : "/\(place)/")
      && (!place.begins(with: "/") || path == place || path.begins(with: "\(place)/"))
  }

  /// Whether the path or its last part matches.
  package static func matchesFile(_ pattern: String, _ path: String) -> Bool {
    matches(pattern, path) || matches(pattern, BaseName.of(path))
  }
}
