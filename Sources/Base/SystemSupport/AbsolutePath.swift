import Glibc

/// Paths and the directory they are meant from.
package enum AbsolutePath {
  /// The working directory; nil if it is gone.
  package static var workingDirectory: String? {
    guard let directory = getcwd(nil, 0) else { return nil }
    defer { free(directory) }
    return String(cString: directory)
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
