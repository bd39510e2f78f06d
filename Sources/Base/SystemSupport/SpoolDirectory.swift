import FirstlightModel
import Glibc
import Synchronization

/// The private directory that the recorded processes of one run write into.
package struct SpoolDirectory {
  package let path: String

  /// Those that are there now.
  private static let living = Mutex<Set<String>>([])

  /// - Throws: `Failure` of kind `cannotCreate`.
  package init() throws(Failure) {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/firstlight-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil, let absolute = realpath(template, nil) else {
      throw Failure(
        .cannotCreate, "\(parent): cannot create a directory: \(ErrorText.of(errno))",
        advice: "set TMPDIR to a writable directory")
    }
    defer { free(absolute) }
    let path = String(cString: absolute)
    Self.living.withLock { _ = $0.insert(path) }
    self.path = path
  }

  /// Removes the directory and the files in it.
  package func remove() {
    Self.remove(path)
    Self.living.withLock { _ = $0.remove(path) }
  }

  /// Removes all that are there: for a process that ends before its work is done.
  package static func removeAll() {
    for path in living.withLock({ $0 }) { remove(path) }
  }

  private static func remove(_ path: String) {
    // A program that still runs may write into it meanwhile, until it is gone.
    for _ in 0..<100 {
      for name in (try? DirectoryListing.names(in: path)) ?? [] { unlink("\(path)/\(name)") }
      if rmdir(path) == 0 || errno != ENOTEMPTY { return }
    }
  }
}
