import CExtendedAttributes
import FirstlightModel
import Glibc

/// Makes paths independent of the working directory.
package enum AbsolutePath {
  /// The working directory; nil if it was removed.
  package static var workingDirectory: String? {
    guard let directory = getcwd(nil, 0) else { return nil }
    defer { free(directory) }
    return String(cString: directory)
  }

  /// The folder of a file, which need not exist.
  package static func folder(of path: String) -> String? {
    let path = of(path)
    return path.lastIndex(ofUTF8: "/").map { String(path[..<$0]) }
  }

  /// The path without symbolic links; nil if the file does not exist.
  package static func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  /// The absolute form of a path, without `.` and `..` at its start.
  package static func of(_ path: String) -> String {
    guard !path.begins(with: "/"), let workingDirectory else { return path }
    // The kernel's name of the directory has no symbolic links, so removing its last part gives the parent.
    var folders = workingDirectory.split(at: "/")
    var rest = path.split(at: "/", omittingEmpty: false)[...]
    while let first = rest.first, [".", "..", ""].contains(first), rest.count > 1 || !first.isEmpty
    {
      if first == ".." { _ = folders.popLast() }
      rest.removeFirst()
    }
    return "/" + (folders + rest).joined(separator: "/")
  }
}

/// Finds the executable of a command.
package enum ProgramPath {
  /// Searches PATH like a shell, unless the name is a path. Fails with `.noInput` if there is no such program.
  package static func find(_ name: String) throws(Failure) -> String {
    if name.containsUTF8("/") { return name }
    let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    for folder in folders.split(at: ":") {
      let path = "\(folder)/\(name)"
      var status = stat()
      if access(path, X_OK) == 0, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
        return path
      }
    }
    throw Failure(
      .noInput, "\(name): not found on PATH",
      advice: access(name, X_OK) == 0 ? "here is ./\(name)" : "use the path of the program")
  }

  /// Whether the kernel would start the program with higher privileges, so that its loader and
  /// libraries ignore the environment (AT_SECURE): set-user-ID, set-group-ID or file capabilities.
  package static func raisesRights(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    if status.st_mode & S_ISUID != 0, status.st_uid != getuid() { return true }
    if status.st_mode & S_ISGID != 0, status.st_mode & S_IXGRP != 0, status.st_gid != getgid() {
      return true
    }
    // Root already has all capabilities.
    return getuid() != 0 && getxattr(path, "security.capability", nil, 0) > 0
  }
}

/// The times of files.
package enum FileTime {
  /// A file's modification time, nanoseconds since 1970; nil if the file does not exist.
  @Sendable package static func changed(_ path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? changed(status) : nil
  }

  package static func changed(_ status: stat) -> Int {
    Int(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int(status.st_mtim.tv_nsec)
  }
}

/// A file of this machine, whatever its path.
package struct FilePlace: Hashable, Sendable {
  package let device, inode: UInt64

  package init(_ status: stat) {
    (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
  }

  /// Nil, with `errno` set, if there is no such file.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }
}

/// A file's contents at one time, which change with every write.
package struct FileState: Hashable, Sendable {
  package let place: FilePlace
  private let size: Int64
  private let changed: Int

  package init(_ status: stat) {
    (place, size, changed) = (FilePlace(status), Int64(status.st_size), FileTime.changed(status))
  }
}

/// A file's identity at one time: a run may build a program, run it and rebuild it.
package struct FileIdentity: Hashable {
  package let path: String
  private let state: FileState

  /// - Parameter link: leads to the file, if the path does not.
  package init(_ path: String, at link: String? = nil) {
    self.path = path
    var status = stat()
    stat(link ?? path, &status)
    state = FileState(status)
  }
}

/// Finds the project folder of a path.
package enum ProjectFolder {
  /// The nearest enclosing git repository or Swift package, else the folder itself.
  ///
  /// - Parameter place: the absolute path of a folder.
  package static func around(_ place: String) -> String {
    nearest(to: place, with: [".git", "Package.swift"]) ?? place
  }

  /// The nearest enclosing git repository, where patches are applied, else the result of `around`.
  package static func repository(around place: String) -> String {
    nearest(to: place, with: [".git"]) ?? around(place)
  }

  /// The nearest enclosing Swift package.
  package static func package(around place: String) -> String? {
    nearest(to: place, with: ["Package.swift"])
  }

  private static func nearest(to place: String, with names: [String]) -> String? {
    var folder = place[...]
    while !folder.isEmpty {
      if names.contains(where: { access("\(folder)/\($0)", F_OK) == 0 }) { return String(folder) }
      folder = folder[..<(folder.lastIndex(ofUTF8: "/") ?? folder.startIndex)]
    }
    return nil
  }
}
