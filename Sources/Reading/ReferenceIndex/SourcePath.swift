import FirstlightModel

/// Paths as compilers write them, in one form: indexes and debug information name one file differently.
enum SourcePath {
  /// Without `.`, `..` and doubled slashes. Symbolic links are not followed: the file may be gone.
  static func normal(_ path: String) -> String {
    // Few do, and an index of a large build names a hundred thousand.
    let isNormal =
      !path.containsUTF8("/./") && !path.containsUTF8("/../") && !path.containsUTF8("//")
    guard path.begins(with: "/"), !isNormal else { return path }
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }
}
