import Glibc

/// Paths and the directory they are meant from.
package enum AbsolutePath {
  /// The working directory; nil if it is gone.
  package static var workingDirectory: String? {
    guard let directory = getcwd(nil, 0) else { return nil }
    defer { free(directory) }
    return String(cString: directory)
  }

  /// The folder that a file lies in, or would lie in.
  package static func folder(of path: String) -> String? {
    let path = of(path)
    return path.lastIndex(of: "/").map { String(path[..<$0]) }
  }

  /// A path without symbolic links; nil if nothing is there.
  package static func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  /// A path that means the same from any working directory.
  package static func of(_ path: String) -> String {
    guard !path.hasPrefix("/"), let workingDirectory else { return path }
    return workingDirectory + "/" + path
  }
}
