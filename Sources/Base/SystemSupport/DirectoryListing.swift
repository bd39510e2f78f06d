import FirstlightModel
import Glibc

/// Lists a directory's contents. Names are texts of the system's bytes (`String.withSystemText`).
package enum DirectoryListing {
  /// All names but `.` and `..`, in the system's order.
  package static func names(in path: String) throws(SystemError) -> [String] {
    guard let directory = opendir(path) else { throw SystemError(code: errno) }
    defer { closedir(directory) }
    return try names(directory)
  }

  /// Lists an open directory from its beginning; the descriptor stays open.
  package static func names(of descriptor: Int32) throws(SystemError) -> [String] {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard let directory = fdopendir(copy) else {
      let code = errno
      close(copy)
      throw SystemError(code: code)
    }
    defer { closedir(directory) }
    // Both descriptors share the read position.
    rewinddir(directory)
    return try names(directory)
  }

  /// All names, as `names(in:)`, each with whether it is a directory.
  package static func entries(
    in path: String
  ) throws(SystemError) -> [(name: String, isDirectory: Bool)] {
    guard let directory = opendir(path) else { throw SystemError(code: errno) }
    defer { closedir(directory) }
    var entries: [(name: String, isDirectory: Bool)] = []
    try forEach(in: directory) { name, type in
      var isDirectory = type == UInt8(DT_DIR)
      if type == UInt8(DT_UNKNOWN) {
        var status = stat()
        isDirectory = lstat("\(path)/\(name)", &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      }
      entries.append((name, isDirectory))
    }
    return entries
  }

  private static func names(_ directory: OpaquePointer) throws(SystemError) -> [String] {
    var names: [String] = []
    try forEach(in: directory) { name, _ in names.append(name) }
    return names
  }

  /// Calls `body` with each name and the type that the file system gives (`d_type` of readdir(3)).
  private static func forEach(
    in directory: OpaquePointer, _ body: (String, UInt8) -> Void
  ) throws(SystemError) {
    while true {
      errno = 0
      guard let entry = readdir(directory) else {
        if errno != 0 { throw SystemError(code: errno) }
        return
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(systemText: $0) }
      }
      if name != ".", name != ".." { body(name, entry.pointee.d_type) }
    }
  }
}
