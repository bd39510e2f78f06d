import FirstlightModel
import Glibc

/// Shell patterns.
package enum Glob {
  /// `*` stands for any characters, `/` included, `?` for one.
  package static func matches(_ pattern: String, _ text: String) -> Bool {
    fnmatch(pattern, text, 0) == 0
  }

  /// Whether a source file's path fits, or lies in the file or folder that a pattern without wildcards
  /// names: `Sources`, `./Sources/App/`, `main.c`.
  package static func matchesPlace(_ pattern: String, _ path: String) -> Bool {
    if matches(pattern, path) { return true }
    guard !pattern.contains(where: { "*?[".contains($0) }) else { return false }
    var place = Substring(pattern)
    if place.hasPrefix("./") { place = place.dropFirst(2) }
    while place.count > 1, place.hasSuffix("/") { place = place.dropLast() }
    guard !place.isEmpty else { return false }
    return "/\(path)/".contains(place.hasPrefix("/") ? "\(place)/" : "/\(place)/")
      && (!place.hasPrefix("/") || path == place || path.hasPrefix("\(place)/"))
  }

  /// Whether a path fits, or its last part.
  package static func matchesFile(_ pattern: String, _ path: String) -> Bool {
    matches(pattern, path) || matches(pattern, BaseName.of(path))
  }
}
