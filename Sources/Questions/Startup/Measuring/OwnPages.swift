import FirstlightLauncher
import FirstlightModel
import Glibc
import ProcessControl
import SystemSupport

/// Pages of a file in this process's page table. They cannot be dropped while they are there, so a library that
/// we are linked with would always be in memory for measured programs.
struct OwnPages {
  private(set) var ranges: [fl_memory] = []

  /// Finds the pages that can be released and read again when needed: in read-only mappings, without pages that
  /// differ from the file (those that the loader relocated).
  ///
  /// Also makes the kernel read only touched pages from now on, without their neighbours.
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
