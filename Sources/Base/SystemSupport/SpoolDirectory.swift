import FirstlightModel
import Glibc
import Synchronization

/// The private directory of one run's recorded processes.
package struct SpoolDirectory {
  package let path: String

  /// The directories that exist now, by path, each with a descriptor that locks it.
  private static let living = Mutex<[TextBytes: Int32]>([:])

  /// - Throws: `Failure` of kind `cannotCreate`.
  package init() throws(Failure) {
    let parent = Self.parent
    var template = Array("\(parent)/firstlight-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil, let absolute = realpath(template, nil) else {
      throw Failure(
        .cannotCreate, "\(parent): cannot create a directory: \(ErrorText.of(errno))",
        advice: "set TMPDIR to a writable directory")
    }
    defer { free(absolute) }
    let path = String(cString: absolute)
    // Held until this process and its watcher have ended, so that a later command finds what they left.
    let lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    flock(lock, LOCK_EX | LOCK_NB)
    Self.living.withLock { $0[path] = lock }
    self.path = path
  }

  /// Removes the directory and the files in it.
  package func remove() {
    Self.remove(path)
    if let lock = Self.living.withLock({ $0.removeValue(forKey: path) }) { close(lock) }
  }

  /// Removes all spool directories: for a process that ends early.
  package static func removeAll() {
    for path in living.withLock({ Array($0.keys) }) { remove(path.text) }
  }

  private static func remove(_ path: String) {
    // A program that still runs may continue to write into the directory until it is removed.
    for _ in 0..<100 {
      for name in (try? DirectoryListing.names(in: path)) ?? [] { unlink("\(path)/\(name)") }
      if rmdir(path) == 0 || errno != ENOTEMPTY { return }
    }
  }

  private static var parent: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }

  /// Directories with recordings of which no profile was made: their recorder was killed.
  package static func abandoned() -> [String] {
    let names = (try? DirectoryListing.names(in: parent)) ?? []
    return names.filter { $0.begins(with: "firstlight-") && $0.utf8.count == 17 }.sorted()
      .map { "\(parent)/\($0)" }.filter { path in
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else { return false }
        defer { close(folder) }
        var status = stat()
        guard fstat(folder, &status) == 0, status.st_uid == geteuid() else { return false }
        let files = (try? DirectoryListing.names(in: path)) ?? []
        guard files.contains(where: { $0.ends(with: ".process") }) else { return false }
        return flock(folder, LOCK_EX | LOCK_NB) == 0
      }
  }
}
