import FirstlightModel
import Glibc
import SystemSupport

/// What there is no room for.
extension SpoolIntake {
  /// Removes processes that wait, oldest first, until what is left is within the quotas: finished ones, and
  /// those of which only their files say that they run.
  func dropOverQuota() -> [String] {
    let waiting = known.values.filter {
      !done.contains($0.entry.stem) && ($0.wasRunning ? $0.isDoubtful : $0.hasEnded)
    }
    .map { $0.measured(in: spool.path) }
    .sorted { $0.startedAt < $1.startedAt }
    var all = (bytes: 0, files: 0)
    var byUser: [UInt32: (bytes: Int, files: Int)] = [:]
    for process in waiting {
      all.bytes += process.bytes
      all.files += process.files
      byUser[process.user, default: (0, 0)].bytes += process.bytes
      byUser[process.user, default: (0, 0)].files += process.files
    }
    var dropped: [String] = []
    for process in waiting {
      let own = byUser[process.user] ?? (0, 0)
      guard
        own.bytes > options.userBytes || own.files > options.userFiles
          || all.bytes > options.totalBytes || all.files > options.totalFiles
      else { continue }
      guard spool.remove(process.entry) else { continue }
      dropped.append(
        "\(process.entry.stem): \(process.path ?? "an unknown program") of user \(process.user)"
      )
      known[process.entry.process] = nil
      all.bytes -= process.bytes
      all.files -= process.files
      byUser[process.user] = (own.bytes - process.bytes, own.files - process.files)
    }
    return dropped
  }

  /// Removes files that programs began and never finished.
  ///
  /// It takes them a moment. One that is an hour old, and whose process is not here, has no writer.
  func removeUnfinished(now: Double) {
    guard let unfinished = try? spool.directory.unfinished() else { return }
    for (name, process) in unfinished where ProcessTable.startTime(of: process.pid) == nil {
      let path = "\(spool.path)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        now - Double(status.st_mtim.tv_sec) > 3600
      else { continue }
      unlink(path)
    }
  }
}
