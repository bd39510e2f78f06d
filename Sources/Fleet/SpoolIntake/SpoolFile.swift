import FirstlightModel
import Glibc
import SystemSupport
import TraceReader

/// A file in a spool that is no recording of a known process: a file that is being made, or anything else that a user
/// left.
struct SpoolFile {
  var name: String
  var user: UInt32
  var bytes: Int
  /// Time of the last change, seconds and nanoseconds since 1970.
  private var changed: (Int, Int)

  /// Nil if it is gone.
  init?(_ name: String, in spool: String) {
    var status = stat()
    guard "\(spool)/\(name)".withSystemText({ lstat($0, &status) }) == 0 else { return nil }
    self.name = name
    user = status.st_uid
    bytes = Int(status.st_blocks) * 512
    changed = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
  }

  func isNewer(than other: SpoolFile) -> Bool { changed > other.changed }
}

extension Spool {
  /// Whether others may leave files but list none, as `spool-for-all` has it. Such a folder is for recordings alone.
  var isForRecordingsAlone: Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IWOTH != 0
      && status.st_mode & S_IROTH == 0
  }
}

extension SpoolIntake {
  /// The files that are no recordings, in a spool that is for recordings alone: they count in the quotas. Recorders make
  /// no directories, whose contents no quota could count: those of other users are removed.
  func otherFiles(report: inout IntakeReport) -> [SpoolFile] {
    guard spool.isForRecordingsAlone,
      let entries = try? DirectoryListing.entries(in: spool.path)
    else { return [] }
    var files: [SpoolFile] = []
    var removed: [UInt32: DroppedRecordings] = [:]
    for (name, isDirectory) in entries where name != Spool.ownFolder {
      progress.step()
      let process = TraceEntry.process(ofFile: name.removingSuffix(TraceEntry.readySuffix))
      if !isDirectory, let process, known[process] != nil || done.contains(process.description) {
        continue
      }
      guard let file = SpoolFile(name, in: spool.path) else { continue }
      guard isDirectory else {
        files.append(file)
        continue
      }
      // Such as lost+found.
      if file.user == 0 || file.user == geteuid() { continue }
      guard spool.discard(name) else { continue }
      var loss = removed[file.user] ?? DroppedRecordings(user: file.user)
      loss.others += 1
      loss.other = name
      removed[file.user] = loss
    }
    if !removed.isEmpty { spool.removeDiscarded { progress.step() } }
    report.dropped += removed.values.sorted { $0.user < $1.user }
    return files
  }
}

extension String {
  /// A name of a process's file for that of its `.ready` file.
  fileprivate func removingSuffix(_ suffix: String) -> String {
    utf8.count > suffix.utf8.count && utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
      ? String(decoding: utf8.dropLast(suffix.utf8.count), as: UTF8.self) + ".process" : self
  }
}
