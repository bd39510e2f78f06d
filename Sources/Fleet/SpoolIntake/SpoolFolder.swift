import FirstlightModel
import Glibc

/// The daemon's own folders in a spool. All users write there, so any of them could first make a folder of
/// the daemon's name, or a link that leads elsewhere.
enum SpoolFolder {
  /// Fails with `.cannotCreate` if others could put another folder in the place of ours.
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

  /// Makes a spool that all users may record into, and where none can list, remove or replace the files of
  /// others. An existing folder is changed likewise.
  /// - Throws: `.cannotCreate`.
  static func share(_ spool: String) throws(Failure) {
    guard mkdir(spool, 0o700) == 0 || errno == EEXIST, chmod(spool, 0o1733) == 0 else {
      throw Failure(
        .cannotCreate, "\(spool): cannot be made for all users: \(ErrorText.of(errno))",
        advice: "run firstlightd as its owner")
    }
  }

  /// Makes a folder, unless it is there and is ours alone.
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
