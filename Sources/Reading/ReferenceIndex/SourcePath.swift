/// Paths as compilers write them, in one form: indexes and debug information name one file differently.
enum SourcePath {
  /// Without `.`, `..` and doubled slashes. Symbolic links are not followed: the file may be gone.
  static func normal(_ path: String) -> String {
    guard path.hasPrefix("/"), path.contains("/.") || path.contains("//") else { return path }
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }
}
