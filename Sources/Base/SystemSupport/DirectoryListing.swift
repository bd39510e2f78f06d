import Glibc

/// What is in a directory.
package enum DirectoryListing {
  /// All names but `.` and `..`, in the system's order.
  package static func names(in path: String) throws(SystemError) -> [String] {
    guard let directory = opendir(path) else { throw SystemError(code: errno) }
    defer { closedir(directory) }
    return try names(directory)
  }

  /// The same of an open directory, from its beginning; it stays open.
  package static func names(of descriptor: Int32) throws(SystemError) -> [String] {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard let directory = fdopendir(copy) else {
      let code = errno
      close(copy)
      throw SystemError(code: code)
    }
    defer { closedir(directory) }
    // The place in the directory belongs to both descriptors.
    rewinddir(directory)
    return try names(directory)
  }

  private static func names(_ directory: OpaquePointer) throws(SystemError) -> [String] {
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(directory) else {
        if errno != 0 { throw SystemError(code: errno) }
        return names
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
  }
}
