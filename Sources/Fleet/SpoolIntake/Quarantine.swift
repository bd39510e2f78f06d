import FirstlightModel
import Glibc
import Synchronization
import SystemSupport
import TraceReader

/// The folder for unreadable recordings, and for batches of traces that an earlier version's
/// receiver refused. Its size is limited.
///
/// Beyond the limit, the user with the most data loses the oldest. All batches together count as
/// one user: recordings, however many, displace batches only if those exceed their share.
package final class Quarantine: Sendable {
  /// A process's files or a batch, and the reason.
  private struct Entry {
    var stem: String
    var owner: Owner
    var names: [String] = []
    var bytes = 0
    /// Time of arrival, seconds since 1970.
    var at = 0
  }

  private enum Owner: Hashable {
    case user(UInt32)
    case batches
  }

  private struct Size {
    var bytes = 0
    var files = 0

    static func - (size: Size, entry: Entry) -> Size {
      Size(bytes: size.bytes - entry.bytes, files: size.files - entry.names.count)
    }
  }

  /// Removed data, for which there was no space.
  package struct Removed: Sendable {
    /// Removed recordings with their user.
    package var recordings: [String] = []
    /// Names of removed batches.
    package var batches: [String] = []
    /// Number of traces in these batches, as far as their names show.
    package var traces = 0
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
  package func trim() -> Removed {
    tally.withLock { tally in
      if let tally, isWithin(tally) { return Removed() }
      var removed = Removed()
      tally = trim(into: &removed)
      return removed
    }
  }

  private func isWithin(_ size: Size) -> Bool {
    size.bytes <= bytesLimit && size.files <= filesLimit
  }

  /// - Returns: the remaining size.
  private func trim(into removed: inout Removed) -> Size {
    var byOwner = Dictionary(grouping: entries(), by: \.owner).mapValues {
      $0.sorted { ($0.at, $0.stem) > ($1.at, $1.stem) }
    }
    func sum(_ entries: [Entry]) -> Size {
      entries.reduce(into: Size()) {
        $0.bytes += $1.bytes
        $0.files += $1.names.count
      }
    }
    var shares = byOwner.mapValues(sum)
    var all = sum(byOwner.values.flatMap { $0 })
    while !isWithin(all) {
      let isOverBytes = all.bytes > bytesLimit
      guard
        let owner = shares.max(by: {
          isOverBytes ? $0.value.bytes < $1.value.bytes : $0.value.files < $1.value.files
        })?.key, let share = shares[owner], let entry = byOwner[owner]?.popLast()
      else { break }
      for name in entry.names { unlink("\(path)/\(name)") }
      shares[owner] = share - entry
      all = all - entry
      switch owner {
      case .user(let user):
        removed.recordings.append("\(entry.stem): of user \(user), from the quarantine")
      case .batches:
        removed.batches.append(entry.stem)
        removed.traces += Self.traces(ofBatch: entry.stem)
      }
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
      let isBatch = stem.hasPrefix(Self.batchPrefix)
      var entry = entries[stem] ?? Entry(stem: stem, owner: isBatch ? .batches : .user(0))
      entry.names.append(name)
      entry.bytes += Int(status.st_blocks) * 512
      if name.hasSuffix(Self.reasonSuffix) {
        entry.at = status.st_mtim.tv_sec
      } else if !isBatch {
        entry.owner = .user(status.st_uid)
      }
      entries[stem] = entry
    }
    return Array(entries.values)
  }

  /// The common name stem of the files with one reason; nil for other files.
  package static func stem(ofFile name: String) -> String? {
    if name.hasPrefix(batchPrefix) {
      for suffix in [batchSuffix, reasonSuffix] where name.hasSuffix(suffix) {
        return String(name.dropLast(suffix.count))
      }
      return nil
    }
    for suffix in [reasonSuffix, TraceEntry.readySuffix] where name.hasSuffix(suffix) {
      return TraceEntry.process(ofFile: name.dropLast(suffix.count) + ".process")?.description
    }
    return TraceEntry.process(ofFile: name)?.description
  }

  /// The third number of `batch-ID-TIME-TRACES`; 0 if there is none.
  private static func traces(ofBatch stem: String) -> Int {
    let numbers = stem.dropFirst(batchPrefix.count).split(separator: "-")
    return numbers.count == 3 ? Int(numbers[2]) ?? 0 : 0
  }

  private static let batchPrefix = "batch-"
  package static let batchSuffix = ".flb"
  package static let reasonSuffix = ".reason"
}
