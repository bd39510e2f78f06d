import FirstlightModel
import Glibc
import ProfileFile
import ReferenceIndex
import SystemSupport

/// Prevents two concurrent runs of `test` from sharing a build folder and logs. Held as long as
/// this object lives.
package final class SuiteLock {
  // Owned; closing it in deinit lets the next run in. Child processes do not inherit it.
  private let file: Int32

  /// Waits until no other run holds the lock, and reports the holder.
  ///
  /// - Parameter onWait: called once with the report, if the caller has to wait.
  /// - Throws: `Failure` of kind `cannotCreate` naming the file, or `system`.
  package init(
    _ path: String, onWait: (String) -> Void = { Terminal.report($0) }
  ) throws(Failure) {
    file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard file >= 0 else {
      throw Failure(.cannotCreate, "\(path): cannot write: \(ErrorText.of(errno))")
    }
    if flock(file, LOCK_EX | LOCK_NB) != 0 {
      let holder = (try? TextFile.read(path)).flatMap { pid_t($0.prefix(upToAny: "\n")) }
      onWait(
        "waiting for another firstlight test here"
          + (holder.map { " (process \($0))" } ?? ""))
      try wait(path)
    }
    let text = "\(getpid())\n"
    ftruncate(file, 0)
    pwrite(file, text, text.utf8.count, 0)
  }

  deinit { close(file) }

  private func wait(_ path: String) throws(Failure) {
    while flock(file, LOCK_EX) != 0 {
      guard errno == EINTR else {
        throw Failure(.system, "\(path): cannot lock: \(ErrorText.of(errno))")
      }
    }
  }
}
