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

  /// A path that means the same from any working directory, without `.` and `..` at its start.
  package static func of(_ path: String) -> String {
    guard !path.hasPrefix("/"), let workingDirectory else { return path }
    // The kernel names the directory without symbolic links, so the folder above is what precedes its name.
    var folders = workingDirectory.split(separator: "/")
    var rest = path.split(separator: "/", omittingEmptySubsequences: false)[...]
    while let first = rest.first, [".", "..", ""].contains(first), rest.count > 1 || !first.isEmpty
    {
      if first == ".." { _ = folders.popLast() }
      rest.removeFirst()
    }
    return "/" + (folders + rest).joined(separator: "/")
  }
}
