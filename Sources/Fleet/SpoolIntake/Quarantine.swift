import FirstlightModel
import Glibc
import Synchronization
import SystemSupport
import TraceReader

/// The folder for unreadable recordings. Its size is limited: beyond the limit, the user with the most data loses
/// the oldest.
package final class Quarantine: Sendable {
  /// A process's files and the reason.
  private struct Entry {
    var stem: String
    var user: UInt32 = 0
    var names: [String] = []
    var bytes = 0
    /// Time of arrival, seconds since 1970.
    var at = 0
  }

  private struct Size {
    var bytes = 0
    var files = 0

    static func - (size: Size, entry: Entry) -> Size {
      Size(bytes: size.bytes - entry.bytes, files: size.files - entry.names.count)
    }
  }

  private let path: String
  private let bytesLimit: Int
  private let filesLimit: Int
  /// An upper bound of the files' size; nil if not measured yet.
  private let tally = Mutex<Size?>(nil)

  init(path: String, bytesLimit: Int, filesLimit: Int) {
    self.path = path
    self.bytesLimit = bytesLimit
    self.filesLimit = filesLimit
  }

  /// Adds files that were just moved here, with their reason.
  /// - Parameters:
  ///   - bytes: size of the files without the reason.
  ///   - reason: the text of the reason file.
  package func added(bytes: Int, files: Int, reason: String) {
    tally.withLock { tally in
      tally?.bytes += Self.blocks(bytes) + Self.blocks(reason.utf8.count + 1)
      tally?.files += files + 1
    }
  }

  /// Maximum disk usage of a file of some bytes: whole blocks, as in a scan of the folder.
  private static func blocks(_ bytes: Int) -> Int { (bytes + 4095) / 4096 * 4096 }

  /// Removes data beyond the limit; scans the folder only if that may be necessary.
  /// - Returns: removed recordings with their user.
  package func trim() -> [String] {
    tally.withLock { tally in
      if let tally, isWithin(tally) { return [] }
      var removed: [String] = []
      tally = trim(into: &removed)
      return removed
    }
  }

  private func isWithin(_ size: Size) -> Bool {
    size.bytes <= bytesLimit && size.files <= filesLimit
  }

  /// - Returns: the remaining size.
  private func trim(into removed: inout [String]) -> Size {
    var byUser = Dictionary(grouping: entries(), by: \.user).mapValues {
      $0.sorted { ($0.at, $0.stem) > ($1.at, $1.stem) }
    }
    func sum(_ entries: [Entry]) -> Size {
      entries.reduce(into: Size()) {
        $0.bytes += $1.bytes
        $0.files += $1.names.count
      }
    }
    var shares = byUser.mapValues(sum)
    var all = sum(byUser.values.flatMap { $0 })
    while !isWithin(all) {
      let isOverBytes = all.bytes > bytesLimit
      guard
        let user = shares.max(by: {
          isOverBytes ? $0.value.bytes < $1.value.bytes : $0.value.files < $1.value.files
        })?.key, let share = shares[user], let entry = byUser[user]?.popLast()
      else { break }
      for name in entry.names { unlink("\(path)/\(name)") }
      shares[user] = share - entry
      all = all - entry
      removed.append("\(entry.stem): of user \(user), from the quarantine")
    }
    return all
  }

  private func entries() -> [Entry] {
    var entries: [String: Entry] = [:]
    for name in (try? DirectoryListing.names(in: path)) ?? [] {
      var status = stat()
      guard let stem = Self.stem(ofFile: name), lstat("\(path)/\(name)", &status) == 0 else {
        continue
      }
      var entry = entries[stem] ?? Entry(stem: stem)
      entry.names.append(name)
      entry.bytes += Int(status.st_blocks) * 512
      if name.ends(with: Self.reasonSuffix) {
        entry.at = status.st_mtim.tv_sec
      } else {
        entry.user = status.st_uid
      }
      entries[stem] = entry
    }
    return Array(entries.values)
  }

  /// The common name stem of the files with one reason; nil for other files.
  package static func stem(ofFile name: String) -> String? {
    for suffix in [reasonSuffix, TraceEntry.readySuffix] {
      guard let stem = name.removing(suffix: suffix) else { continue }
      return TraceEntry.process(ofFile: stem + ".process")?.description
    }
    return TraceEntry.process(ofFile: name)?.description
  }

  static let reasonSuffix = ".reason"
}
