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
    if let folder, path.hasPrefix(folder + "/"),
      matchesPlace(pattern, String(path.dropFirst(folder.count + 1)))
    {
      return true
    }
    guard !pattern.contains(where: { "*?[".contains($0) }) else { return false }
    var place = Substring(pattern)
    if place.hasPrefix("./") { place = place.dropFirst(2) }
    while place.count > 1, place.hasSuffix("/") { place = place.dropLast() }
    guard !place.isEmpty else { return false }
    return "/\(path)/".contains(place.hasPrefix("/") ? "\(place)/" : "/\(place)/")
      && (!place.hasPrefix("/") || path == place || path.hasPrefix("\(place)/"))
  }

  /// Whether the path or its last part matches.
  package static func matchesFile(_ pattern: String, _ path: String) -> Bool {
    matches(pattern, path) || matches(pattern, BaseName.of(path))
  }
}
