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
