import FirstlightModel
import Glibc
import Synchronization

/// The private directory of one run's recorded processes.
package struct SpoolDirectory {
  package let path: String

  /// Paths of the directories that exist now.
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

  /// Removes all spool directories: for a process that ends early.
  package static func removeAll() {
    for path in living.withLock({ $0 }) { remove(path) }
  }

  private static func remove(_ path: String) {
    // A program that still runs may continue to write into the directory until it is removed.
    for _ in 0..<100 {
      for name in (try? DirectoryListing.names(in: path)) ?? [] { unlink("\(path)/\(name)") }
      if rmdir(path) == 0 || errno != ENOTEMPTY { return }
    }
  }
}
