import FirstlightModel
import Glibc
import TraceReader

/// The directory that recording processes write into, held by one daemon.
///
/// What the daemon keeps there lies in `.firstlightd/`, whose name no recorder writes.
package final class Spool: Sendable {
  package let path: String
  package let directory: TraceDirectory
  /// Held as long as this value lives.
  private let lock: CInt

  /// Opens a spool for intake.
  /// - Parameter isForAll: makes it if it is not there, and lets all users record into it.
  /// - Throws: `.noInput` if there is no such directory, `.cannotCreate` if nothing can be written
  ///   there, `.unavailable` if another daemon has it.
  package init(path: String, isForAll: Bool = false) throws(Failure) {
    guard path.hasPrefix("/") else {
      throw Failure(
        .usage, "\(path): the spool must be an absolute path",
        advice: "use the same path as FIRSTLIGHT_DIR")
    }
    if isForAll { try SpoolFolder.share(path) }
    directory = try TraceDirectory(path: path)
    self.path = path
    let own = path + "/.firstlightd"
    try SpoolFolder.check(path, own)
    try SpoolFolder.make(own, in: path)
    try SpoolFolder.make(own + "/quarantine", in: own)
    let opened = open(own + "/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard opened >= 0 else {
      throw Failure(
        .cannotCreate, "\(own)/lock: cannot be opened: \(ErrorText.of(errno))")
    }
    // Held by the open file, so it goes with the daemon however that ends.
    guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
      close(opened)
      throw Failure(
        .unavailable, "\(path): another firstlightd uses this spool",
        advice: "stop that daemon, or use another spool")
    }
    lock = opened
  }

  deinit { close(lock) }

  package var ledgerPath: String { path + "/.firstlightd/ledger.sqlite" }
  package var quarantinePath: String { Self.quarantinePath(of: path) }

  /// Where a spool's daemon puts aside what it cannot use.
  package static func quarantinePath(of spool: String) -> String {
    spool + "/.firstlightd/quarantine"
  }

  /// Where the journal of taking in is; see `WorkJournal`.
  package var intakeJournalPath: String { path + "/.firstlightd/intake.working" }

  /// Removes the files of a process. Those that are gone already are no matter.
  /// - Returns: whether all are gone.
  package func remove(_ entry: TraceEntry) -> Bool {
    var isGone = true
    for name in entry.files where unlink("\(path)/\(name)") != 0 && errno != ENOENT {
      isGone = false
    }
    return isGone
  }

  /// Moves a process's files out of the way, with the reason beside them.
  package func quarantine(_ entry: TraceEntry, reason: String) {
    // The folder may have been removed. Files that stay in the spool would come back with each pass.
    mkdir(quarantinePath, 0o700)
    for name in entry.files {
      // A link or a directory of that name is what it is; renaming follows nothing.
      _ = rename("\(path)/\(name)", "\(quarantinePath)/\(name)")
    }
    guard let file = fopen("\(quarantinePath)/\(entry.stem).reason", "we") else { return }
    fputs(reason + "\n", file)
    fclose(file)
  }
}
