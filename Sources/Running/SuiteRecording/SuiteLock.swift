import FirstlightModel
import Glibc
import SystemSupport

/// Keeps two runs of `test` from building in one folder, and from writing its logs, at once.
/// Lives as long as it is to keep others out.
package final class SuiteLock {
  // Ours until deinit, which lets the next one in; programs that we start do not get it.
  private let file: Int32

  /// Waits until no other run holds it, and reports which one does.
  ///
  /// - Parameter onWait: called once with that line if it has to wait.
  /// - Throws: `Failure` of kind `cannotCreate` naming the file, or `system`.
  package init(
    _ path: String, onWait: (String) -> Void = { Terminal.report($0) }
  ) throws(Failure) {
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard file >= 0 else {
      throw Failure(.cannotCreate, "\(path): cannot write: \(ErrorText.of(errno))")
    }
    if flock(file, LOCK_EX | LOCK_NB) != 0 {
      let holder = (try? TextFile.read(path)).flatMap { pid_t($0.prefix { $0 != "\n" }) }
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
