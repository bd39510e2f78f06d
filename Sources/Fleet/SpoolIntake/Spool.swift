import FirstlightModel
import Glibc
import TraceReader

/// The directory that recording processes write into, held by one daemon.
///
/// The daemon's own files there are in `.firstlightd/`, a name that no recorder uses.
package final class Spool: Sendable {
  static let ownFolder = ".firstlightd"

  package let path: String
  package let directory: TraceDirectory
  /// Locked as long as this value lives.
  private let lock: CInt

  /// Opens a spool for intake.
  /// - Parameter isForAll: whether to create the directory, and let all users record into it.
  /// - Throws: `.noInput` if the directory does not exist, `.cannotCreate` if it is not writable,
  ///   `.unavailable` if another daemon holds it.
  package init(path: String, isForAll: Bool = false) throws(Failure) {
    guard path.begins(with: "/") else {
      throw Failure(
        .usage, "\(path): the spool must be an absolute path",
        advice: "use the same path as FIRSTLIGHT_DIR")
    }
    if isForAll { try SpoolFolder.share(path) }
    directory = try TraceDirectory(path: path)
    self.path = path
    let own = path + "/" + Self.ownFolder
    try SpoolFolder.check(path, own)
    try SpoolFolder.make(own, in: path)
    try SpoolFolder.make(own + "/quarantine", in: own)
    let opened = open(own + "/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard opened >= 0 else {
      throw Failure(
        .cannotCreate, "\(own)/lock: cannot be opened: \(ErrorText.of(errno))")
    }
    // The lock belongs to the open file, so it ends with the daemon in any case.
    guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
      close(opened)
      throw Failure(
        .unavailable, "\(path): another firstlightd uses this spool",
        advice: "stop that daemon, or use another spool")
    }
    lock = opened
    removeDiscarded()
  }

  deinit {
    // A child that was just forked still holds the open file.
    flock(lock, LOCK_UN)
    close(lock)
  }

  package var ledgerPath: String { path + "/.firstlightd/ledger.sqlite" }
  var quarantinePath: String { path + "/.firstlightd/quarantine" }

  /// Path of the intake's journal; see `WorkJournal`.
  package var intakeJournalPath: String { path + "/.firstlightd/intake.working" }

  /// The path of a file.
  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Removes the files of a process; missing ones do not matter.
  /// - Returns: whether no file is left.
  package func remove(_ entry: TraceEntry) -> Bool {
    var isGone = true
    for name in entry.files where unlink("\(path)/\(name)") != 0 && errno != ENOENT {
      isGone = false
    }
    return isGone
  }

  /// Moves a process's files to the quarantine, with the reason beside them.
  package func quarantine(_ entry: TraceEntry, reason: String) {
    // The folder may have been removed. Files left in the spool would be read again in each pass.
    mkdir(quarantinePath, 0o700)
    for name in entry.files {
      // A link or directory with such a name is moved as it is, since renaming follows nothing. In our own folder it
      // cannot change any more.
      let target = "\(quarantinePath)/\(name)"
      var status = stat()
      guard rename("\(path)/\(name)", target) == 0, lstat(target, &status) == 0,
        status.st_mode & S_IFMT != S_IFREG
      else { continue }
      // The quarantine's quota counts files.
      if status.st_mode & S_IFMT == S_IFDIR {
        _ = rename(target, "\(quarantinePath)/\(discarded.newName())")
        removeDiscarded()
      } else {
        unlink(target)
      }
    }
    guard let file = fopen("\(quarantinePath)/\(entry.stem).reason", "we") else { return }
    fputs(reason + "\n", file)
    fclose(file)
  }
}

extension Spool {
  fileprivate var discarded: DiscardedTree { DiscardedTree(folder: quarantinePath) }

  /// Takes a directory out of the spool.
  /// - Returns: whether it is gone.
  func discard(_ name: String) -> Bool {
    mkdir(quarantinePath, 0o700)
    let target = "\(quarantinePath)/\(discarded.newName())"
    return "\(path)/\(name)".withSystemText { rename($0, target) } == 0
  }

  func removeDiscarded(progress: () -> Void = {}) { discarded.remove(progress: progress) }
}

/// The daemon's own folders in a spool. All users can write there, so any user could create a
/// folder with the daemon's name first, or a link to another place.
enum SpoolFolder {
  /// Fails with `.cannotCreate` if other users could replace our folder.
  static func check(_ spool: String, _ own: String) throws(Failure) {
    var status = stat()
    guard stat(spool, &status) == 0 else {
      throw Failure(.noInput, "\(spool): \(ErrorText.of(errno))")
    }
    let isForAll = status.st_mode & S_IWOTH != 0
    guard !isForAll || status.st_mode & S_ISVTX != 0 else {
      throw Failure(
        .cannotCreate, "\(spool): other users can remove and replace its files",
        advice: "run chmod 1733 \(spool)")
    }
    guard status.st_uid == geteuid() || status.st_uid == 0 else {
      throw Failure(
        .cannotCreate,
        "\(spool): belongs to user \(status.st_uid), who can replace its files",
        advice: "run firstlightd as that user, or chown the spool to root")
    }
  }

  /// Makes a spool that all users may record into, but where none can list, remove or replace other
  /// users' files. Changes an existing folder likewise.
  /// - Throws: `.cannotCreate`.
  static func share(_ spool: String) throws(Failure) {
    guard mkdir(spool, 0o700) == 0 || errno == EEXIST, chmod(spool, 0o1733) == 0 else {
      throw Failure(
        .cannotCreate, "\(spool): cannot be made for all users: \(ErrorText.of(errno))",
        advice: "run firstlightd as its owner")
    }
  }

  /// Makes a folder, unless it exists and belongs only to us.
  /// - Throws: `.cannotCreate`.
  static func make(_ path: String, in parent: String) throws(Failure) {
    if mkdir(path, 0o700) != 0, errno != EEXIST {
      throw Failure(
        .cannotCreate, "\(path): cannot be created: \(ErrorText.of(errno))",
        advice: "give firstlightd write permission for \(parent)")
    }
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw Failure(
        .cannotCreate, "\(path): not a directory", advice: "remove it")
    }
    guard status.st_uid == geteuid() else {
      throw Failure(
        .cannotCreate, "\(path): belongs to user \(status.st_uid), not to firstlightd",
        advice: "remove it, or chown it if an earlier firstlightd created it")
    }
    guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
      throw Failure(
        .cannotCreate, "\(path): writable by other users", advice: "run chmod 700 \(path)")
    }
  }
}
