import FirstlightModel
import Glibc
import TraceReader

/// The folder of recordings that could not be read: what may lie there has a limit.
///
/// Beyond it the user who has most there loses what came first. Batches that were set aside stay.
struct Quarantine {
  /// A process's files and the reason.
  private struct Entry {
    var stem: String
    var names: [String] = []
    var bytes = 0
    /// Who left them.
    var user: UInt32 = 0
    /// When they came, seconds since 1970.
    var at = 0
  }

  private let path: String
  private let bytesLimit: Int
  private let filesLimit: Int
  /// An upper bound of what lies there; nil: nobody has looked yet.
  private var tally: (bytes: Int, files: Int)?

  init(path: String, bytesLimit: Int, filesLimit: Int) {
    self.path = path
    self.bytesLimit = bytesLimit
    self.filesLimit = filesLimit
  }

  /// Notes what was just put there.
  mutating func added(bytes: Int, files: Int) {
    tally?.bytes += bytes
    tally?.files += files + 1
  }

  /// Removes what there is no room for; looks only if there may be such.
  /// - Returns: whose recordings went.
  mutating func trim() -> [String] {
    if let tally, tally.bytes <= bytesLimit, tally.files <= filesLimit { return [] }
    var byUser = Dictionary(grouping: entries(), by: \.user).mapValues {
      $0.sorted { ($0.at, $0.stem) > ($1.at, $1.stem) }
    }
    func sum(_ entries: [Entry]) -> (bytes: Int, files: Int) {
      entries.reduce((0, 0)) { ($0.0 + $1.bytes, $0.1 + $1.names.count) }
    }
    var shares = byUser.mapValues(sum)
    var all = sum(byUser.values.flatMap { $0 })
    var removed: [String] = []
    while all.bytes > bytesLimit || all.files > filesLimit {
      let isOverBytes = all.bytes > bytesLimit
      guard
        let user = shares.max(by: {
          isOverBytes ? $0.value.bytes < $1.value.bytes : $0.value.files < $1.value.files
        })?.key, let entry = byUser[user]?.popLast()
      else { break }
      for name in entry.names { unlink("\(path)/\(name)") }
      shares[user]?.bytes -= entry.bytes
      shares[user]?.files -= entry.names.count
      all = (all.bytes - entry.bytes, all.files - entry.names.count)
      removed.append("\(entry.stem): of user \(user), set aside before")
    }
    tally = all
    return removed
  }

  private func entries() -> [Entry] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var entries: [String: Entry] = [:]
    while let found = readdir(directory) {
      let name = withUnsafePointer(to: &found.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      let isReason = name.hasSuffix(".reason")
      let recorded = isReason ? name.dropLast(7) + ".process" : name[...]
      var status = stat()
      guard let process = TraceEntry.process(ofFile: String(recorded)),
        lstat("\(path)/\(name)", &status) == 0
      else { continue }
      var entry = entries[process.description] ?? Entry(stem: process.description)
      entry.names.append(name)
      entry.bytes += Int(status.st_blocks) * 512
      if isReason { entry.at = status.st_mtim.tv_sec } else { entry.user = status.st_uid }
      entries[process.description] = entry
    }
    return Array(entries.values)
  }
}
