import FirstlightModel
import Glibc

/// A mapping of a process's memory (proc_pid_maps(5)).
package struct ProcessMapping {
  package let range: Range<UInt64>
  /// Offset in the file.
  package let offset: UInt64
  /// 0 if there is no file.
  package let inode: UInt64
  package let isWritable: Bool
  package let isExecutable: Bool
  /// Whether writing to it changes the file.
  package let isShared: Bool
  /// The file's path, or a label such as `[vdso]`; empty if the mapping has no name.
  package let path: String

  /// All mappings of a process, lowest first; empty if it has ended.
  ///
  /// - Parameter pid: "self" for this process.
  package static func all(of pid: String) -> [ProcessMapping] {
    (ProcFile.text(LiveProcess.folder(named: pid) + "/maps") ?? "").split(at: "\n")
      .compactMap { Self($0) }
  }

  /// Regular files that a process has mapped, without duplicates.
  package static func files(of pid: String) -> [String] {
    var seen: Set<TextBytes> = []
    return all(of: pid).filter { $0.inode != 0 && $0.path.begins(with: "/") }.map(\.path)
      .filter { seen.insert($0).inserted && access($0, R_OK) == 0 }
  }

  private init?(_ line: Substring) {
    let words = line.split(at: " ", maxSplits: 5, omittingEmpty: true)
    guard words.count >= 5, let inode = UInt64(words[4]),
      let offset = UInt64(words[2], radix: 16), let dash = words[0].firstIndex(ofUTF8: "-"),
      let start = UInt64(words[0][..<dash], radix: 16),
      let end = UInt64(words[0][words[0].utf8.index(after: dash)...], radix: 16), start < end
    else { return nil }
    range = start..<end
    self.offset = offset
    self.inode = inode
    isWritable = words[1].containsUTF8("w")
    isExecutable = words[1].containsUTF8("x")
    isShared = words[1].containsUTF8("s")
    path = words.count > 5 ? String(words[5].drop(any: " ")) : ""
  }
}

/// A process's page table (Documentation/admin-guide/mm/pagemap.rst of Linux).
package struct ProcessPages: ~Copyable {
  private let file: Int32

  package struct Entry {
    fileprivate let bits: UInt64

    /// Whether the page is in the page table, or was and is swapped out.
    package var isMapped: Bool { bits >> 62 != 0 }
    /// Whether the page is in the page table and belongs to a file: no private copy.
    package var isOfFile: Bool { bits & Self.ofFile == Self.ofFile }

    /// The page is present, and belongs to a file or to shared memory.
    private static let ofFile: UInt64 = 1 << 63 | 1 << 61
  }

  /// Nil if the process has ended.
  ///
  /// - Parameter pid: "self" for this process.
  package init?(of pid: String) {
    file = open(LiveProcess.folder(named: pid) + "/pagemap", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
  }

  deinit { close(file) }

  /// The entry of each page of a range; fewer if the kernel returns fewer.
  package func entries(_ range: Range<UInt64>) -> [Entry] {
    let size = UInt64(HostInfo.pageSize)
    let count = Int((range.upperBound - range.lowerBound) / size)
    var entries = [UInt64](repeating: 0, count: count)
    let read = pread(file, &entries, count * 8, Int(range.lowerBound / size * 8))
    return entries.prefix(max(0, read / 8)).map { Entry(bits: $0) }
  }
}
