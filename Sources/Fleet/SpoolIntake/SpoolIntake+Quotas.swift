import FirstlightModel
import Glibc
import SystemSupport
import TraceReader

/// Enforces the quotas.
extension SpoolIntake {
  private struct Share {
    var bytes = 0
    var files = 0

    static func += (share: inout Share, process: KnownProcess) {
      share.bytes += process.bytes
      share.files += process.files
    }

    static func -= (share: inout Share, process: KnownProcess) {
      share.bytes -= process.bytes
      share.files -= process.files
    }

    static func += (share: inout Share, file: SpoolFile) {
      share.bytes += file.bytes
      share.files += 1
    }

    static func -= (share: inout Share, file: SpoolFile) {
      share.bytes -= file.bytes
      share.files -= 1
    }

    func isWithin(_ bytes: Int, _ files: Int) -> Bool {
      self.bytes <= bytes && self.files <= files
    }
  }

  /// Removes files until the rest fits the quotas: for each user first the oldest ones that are no recordings, then the
  /// oldest ended processes, then the oldest running ones, which lose only their recording. "Running" is
  /// uncertain: the files claim it, or a process holds them open.
  func dropOverQuota(report: inout IntakeReport) {
    var all = Share()
    let others = otherFiles(report: &report)
    var shares: [UInt32: Share] = [:]
    for process in known.values {
      all += process
      shares[process.user, default: Share()] += process
    }
    for file in others {
      all += file
      shares[file.user, default: Share()] += file
    }
    func isOver(_ share: Share) -> Bool { !share.isWithin(options.userBytes, options.userFiles) }
    /// The user whose recording is removed next: one above the user quota, else, if the total is
    /// too large, the one with the most data.
    func nextUser() -> UInt32? {
      if let user = shares.first(where: { isOver($0.value) })?.key { return user }
      if all.bytes > options.totalBytes {
        return shares.max { $0.value.bytes < $1.value.bytes }?.key
      }
      if all.files > options.totalFiles {
        return shares.max { $0.value.files < $1.value.files }?.key
      }
      return nil
    }
    guard nextUser() != nil else { return }
    var files = Dictionary(grouping: others, by: \.user).mapValues {
      $0.sorted { $0.isNewer(than: $1) }
    }
    var waiting = Dictionary(
      grouping: known.values.filter { !done.contains($0.entry.stem) }, by: \.user
    ).mapValues { processes in
      processes.sorted { a, b in
        a.wasRunning == b.wasRunning ? a.startedAt > b.startedAt : a.wasRunning
      }
    }
    var dropped: [UInt32: DroppedRecordings] = [:]
    while let user = nextUser() {
      if let file = files[user]?.popLast() {
        let isGone = "\(spool.path)/\(file.name)".withSystemText { unlink($0) == 0 }
        guard isGone || errno == ENOENT else { continue }
        var loss = dropped[user] ?? DroppedRecordings(user: user)
        loss.others += 1
        loss.other = file.name
        dropped[user] = loss
        all -= file
        shares[user]? -= file
        continue
      }
      guard let process = waiting[user]?.popLast() else {
        shares[user] = nil
        continue
      }
      let path = try? ProcessFile.read(path: "\(spool.path)/\(process.entry.processFile)").path
      guard spool.remove(process.entry) else { continue }
      var loss = dropped[user] ?? DroppedRecordings(user: user)
      loss.processes += 1
      (loss.stem, loss.path) = (process.entry.stem, path ?? "an unknown program")
      dropped[user] = loss
      known[process.entry.process] = nil
      all -= process
      shares[user]? -= process
    }
    report.dropped += dropped.values.sorted { $0.user < $1.user }
  }

  /// Removes files that programs never finished.
  ///
  /// Finishing takes a moment: an hour-old file whose process does not exist here has no writer.
  func removeUnfinished(now: Double) {
    guard let unfinished = try? spool.directory.unfinished() else { return }
    for (name, process) in unfinished where LiveProcess(process.pid) == nil {
      let path = "\(spool.path)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        now - Double(status.st_mtim.tv_sec) > 3600
      else { continue }
      unlink(path)
    }
  }
}
