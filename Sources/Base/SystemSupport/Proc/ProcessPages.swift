import Glibc

/// A process's page table (Documentation/admin-guide/mm/pagemap.rst of Linux).
package struct ProcessPages: ~Copyable {
  private let file: Int32

  package struct Entry {
    fileprivate let bits: UInt64

    /// In the page table, or it was and is swapped out.
    package var isMapped: Bool { bits >> 62 != 0 }
    /// In the page table, and a page of a file: no private copy.
    package var isOfFile: Bool { bits & Self.ofFile == Self.ofFile }

    /// Present; a page of a file or of shared memory.
    private static let ofFile: UInt64 = 1 << 63 | 1 << 61
  }

  /// Nil if the process is gone.
  ///
  /// - Parameter pid: "self" is us.
  package init?(of pid: String) {
    file = open("/proc/\(pid)/pagemap", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
  }

  deinit { close(file) }

  /// Of each page of some memory; fewer where the kernel says no more.
  package func entries(_ range: Range<UInt64>) -> [Entry] {
    let size = UInt64(HostInfo.pageSize)
    let count = Int((range.upperBound - range.lowerBound) / size)
    var entries = [UInt64](repeating: 0, count: count)
    let read = pread(file, &entries, count * 8, Int(range.lowerBound / size * 8))
    return entries.prefix(max(0, read / 8)).map { Entry(bits: $0) }
  }
}
