import FirstlightLauncher
import Glibc
import SystemSupport

/// Pages of a file that this process has in its page table. As long as they are there, they cannot be
/// dropped, so a library that we are linked with would always be in memory for programs that we measure.
struct OwnPages {
  private(set) var ranges: [fl_memory] = []

  /// Those that we can let go of and read again when we need them: of mappings that cannot be written to,
  /// without pages that differ from the file (those that the loader relocated).
  ///
  /// Has the kernel read only what we touch from now on, not what lies around it.
  init(of path: String) {
    let own = ProcessMapping.all(of: "self").filter { $0.path == path && !$0.isWritable }
    guard !own.isEmpty, let table = ProcessPages(of: "self") else { return }
    let pageSize = UInt64(HostInfo.pageSize)
    for mapping in own {
      let start = mapping.range.lowerBound
      madvise(
        UnsafeMutableRawPointer(bitPattern: UInt(start)), mapping.range.count, MADV_RANDOM)
      for (page, entry) in table.entries(mapping.range).enumerated() where entry.isOfFile {
        let address = start + UInt64(page) * pageSize
        if let last = ranges.last, last.address + last.size == address {
          ranges[ranges.count - 1].size += pageSize
        } else {
          ranges.append(fl_memory(address: address, size: pageSize))
        }
      }
    }
  }
}
