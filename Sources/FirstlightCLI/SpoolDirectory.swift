import FirstlightModel
import Glibc

/// The private directory that the recorded processes of one run write into.
struct SpoolDirectory {
  let path: String

  /// - Throws: `Failure` of kind `cannotCreate`.
  init() throws(Failure) {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/firstlight-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil, let absolute = realpath(template, nil) else {
      throw Failure(
        .cannotCreate, "\(parent): cannot make a directory: \(String(cString: strerror(errno)))",
        advice: "set TMPDIR to a directory that can be written to")
    }
    defer { free(absolute) }
    path = String(cString: absolute)
  }

  /// Removes the directory and the files in it.
  func remove() {
    if let directory = opendir(path) {
      defer { closedir(directory) }
      while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != ".", name != ".." { unlink("\(path)/\(name)") }
      }
    }
    rmdir(path)
  }
}
