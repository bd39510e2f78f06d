import FirstlightLauncher
import FirstlightModel
import Glibc
import ProcessControl
import SystemSupport

/// The pages of one file in the page cache.
package final class FileCache {
  package let path: String
  package let pageCount: Int
  private let file: Int32
  private let size: Int
  // Owned until deinit. Pages of this mapping are looked up and never read: a mapped page could not be dropped.
  private let memory: UnsafeMutableRawPointer?

  /// Throws `.noInput` if the file cannot be opened, `.system` if it cannot be mapped.
  init(_ path: String) throws(Failure) {
    self.path = path
    let status: stat
    do { (file, status) = try RegularFile.open(path) } catch {
      throw Failure(.noInput, "\(path): cannot be opened (\(error.text))")
    }
    size = Int(status.st_size)
    let pageSize = Int(PageSize.reported)
    pageCount = (size + pageSize - 1) / pageSize
    memory = size > 0 ? mmap(nil, size, PROT_READ, MAP_SHARED, file, 0) : nil
    guard memory != MAP_FAILED else {
      throw Failure(.system, "\(path): cannot be mapped (\(ErrorText.of(errno)))")
    }
  }

  deinit {
    if let memory, memory != MAP_FAILED { munmap(memory, size) }
    close(file)
  }

  /// For each page: whether it is in memory (mincore(2)). If we neither own the file nor may write to it, the
  /// kernel reports all pages as present.
  func residentPages() -> [Bool] {
    var pages = [UInt8](repeating: 0, count: pageCount)
    guard let memory, mincore(memory, size, &pages) == 0 else { return pages.map { _ in false } }
    return pages.map { $0 & 1 != 0 }
  }

  /// Drops the file's pages. Pages that another process has mapped or locked stay, and for a library of our own
  /// also those that we need meanwhile.
  ///
  /// - Returns: the number of remaining pages.
  @discardableResult
  package func drop() -> Int {
    // Only clean pages can be dropped. Recently read pages may still be in a CPU's batch, which the kernel
    // empties when it meets them, so this repeats.
    fsync(file)
    var left = pageCount
    for _ in 0..<3 where left > 0 {
      OwnPages(of: path).ranges.withUnsafeBufferPointer {
        fl_drop_pages(file, $0.baseAddress, UInt32($0.count))
      }
      left = residentPages().count { $0 }
    }
    return left
  }

  /// Whether the file is on a memory file system, where nothing can be dropped.
  package var isInMemoryOnly: Bool { Self.isInMemoryOnly(file) }

  /// Whether an open file or directory is on a memory file system.
  package static func isInMemoryOnly(_ file: Int32) -> Bool { fl_is_in_memory_only(file) }

  /// Read-ahead of the file's device, KiB; nil if unknown.
  package var readahead: Int? { Self.readahead(file) }

  /// Read-ahead of the device of an open file or directory, KiB; nil if unknown.
  package static func readahead(_ file: Int32) -> Int? {
    var status = stat()
    guard fstat(file, &status) == 0 else { return nil }
    let device = status.st_dev
    // gnu_dev_major and gnu_dev_minor of <sys/sysmacros.h>, which Swift cannot import.
    let major = (device >> 8) & 0xfff | (device >> 32) & ~0xfff
    let minor = device & 0xff | (device >> 12) & ~0xff
    return ProcFile.number("/sys/class/bdi/\(major):\(minor)/read_ahead_kb")
  }

  /// Drops all clean pages, directories and inodes of the system.
  ///
  /// Throws `.unavailable` without permission.
  static func dropAll() throws(Failure) {
    sync()
    let path = "/proc/sys/vm/drop_caches"
    let file = open(path, O_WRONLY | O_CLOEXEC)
    defer { if file >= 0 { close(file) } }
    guard file >= 0, write(file, "3", 1) == 1 else {
      throw Failure(
        .unavailable, "\(path): \(ErrorText.of(errno))",
        advice: "leave out --drop-caches: the binaries' own files are dropped without it")
    }
  }
}

extension MachineFacts.Folder {
  /// The current directory. It shows whether and how files there reach a disk.
  package static var current: Self {
    var folder = Self()
    folder.path = AbsolutePath.resolved(".") ?? "."
    let file = open(folder.path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return folder }
    defer { close(file) }
    folder.isInMemoryOnly = FileCache.isInMemoryOnly(file)
    folder.readahead = FileCache.readahead(file)
    return folder
  }
}
