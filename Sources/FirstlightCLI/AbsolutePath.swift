import Glibc

/// Paths that mean the same from any working directory.
enum AbsolutePath {
  static func of(_ path: String) -> String {
    guard !path.hasPrefix("/"), let directory = getcwd(nil, 0) else { return path }
    defer { free(directory) }
    return String(cString: directory) + "/" + path
  }
}
