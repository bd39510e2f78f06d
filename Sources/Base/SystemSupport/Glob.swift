import FirstlightModel
import Glibc

/// Shell patterns.
package enum Glob {
  /// `*` stands for any characters, `/` included, `?` for one.
  package static func matches(_ pattern: String, _ text: String) -> Bool {
    fnmatch(pattern, text, 0) == 0
  }

  /// Whether a path fits, or its last part.
  package static func matchesFile(_ pattern: String, _ path: String) -> Bool {
    matches(pattern, path) || matches(pattern, BaseName.of(path))
  }
}
