import Glibc

/// A mapping of a process's memory (proc_pid_maps(5)).
package struct ProcessMapping {
  package let range: Range<UInt64>
  /// In the file.
  package let offset: UInt64
  /// 0: of no file.
  package let inode: UInt64
  package let isWritable: Bool
  /// Or what it is, as `[vdso]`; empty if it has no name.
  package let path: String

  /// All of a process, lowest first; none if it is gone.
  ///
  /// - Parameter pid: "self" is us.
  package static func all(of pid: String) -> [ProcessMapping] {
    (ProcFile.text("/proc/\(pid)/maps") ?? "").split(separator: "\n").compactMap { Self($0) }
  }

  /// Regular files that a process has mapped, each once.
  package static func files(of pid: String) -> [String] {
    var seen: Set<String> = []
    return all(of: pid).filter { $0.inode != 0 && $0.path.hasPrefix("/") }.map(\.path)
      .filter { seen.insert($0).inserted && access($0, R_OK) == 0 }
  }

  private init?(_ line: Substring) {
    let words = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
    guard words.count >= 5, let inode = UInt64(words[4]),
      let offset = UInt64(words[2], radix: 16), let dash = words[0].firstIndex(of: "-"),
      let start = UInt64(words[0][..<dash], radix: 16),
      let end = UInt64(words[0][words[0].index(after: dash)...], radix: 16), start < end
    else { return nil }
    range = start..<end
    self.offset = offset
    self.inode = inode
    isWritable = words[1].contains("w")
    path = words.count > 5 ? String(words[5].drop { $0 == " " }) : ""
  }
}
