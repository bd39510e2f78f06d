import FirstlightLauncher
import Glibc

/// Pages of a file that this process has in its page table. As long as they are there, nobody can drop
/// them, so a library that we are linked with would always be in memory for programs that we measure.
struct OwnPages {
  private(set) var ranges: [fl_memory] = []

  /// Those that we can let go of and read again when we need them: of mappings that cannot be written to,
  /// without pages that differ from the file (those that the loader relocated).
  ///
  /// Has the kernel read only what we touch from now on, not what lies around it.
  init(of path: String) {
    let own = ProcessSnapshot.mappings(of: "self").filter { $0.path == path && !$0.isWritable }
    guard !own.isEmpty else { return }
    let table = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)
    guard table >= 0 else { return }
    defer { close(table) }
    for mapping in own {
      let start = mapping.range.lowerBound
      let count = Int((mapping.range.upperBound - start) / Self.pageSize)
      madvise(
        UnsafeMutableRawPointer(bitPattern: UInt(start)), count * Int(Self.pageSize), MADV_RANDOM)
      var entries = [UInt64](repeating: 0, count: count)
      let read = pread(table, &entries, count * 8, Int(start / Self.pageSize * 8))
      for page in 0..<max(0, read / 8) where entries[page] & Self.isOfFile == Self.isOfFile {
        let address = start + UInt64(page) * Self.pageSize
        if let last = ranges.last, last.address + last.size == address {
          ranges[ranges.count - 1].size += Self.pageSize
        } else {
          ranges.append(fl_memory(address: address, size: Self.pageSize))
        }
      }
    }
  }

  private static let pageSize: UInt64 = 4096
  /// Present, and a page of the file (Documentation/admin-guide/mm/pagemap.rst of the kernel).
  private static let isOfFile: UInt64 = 1 << 63 | 1 << 61
}
