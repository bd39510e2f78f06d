import Glibc

/// Reads the memory of another process, which must be traced or stopped.
package final class ProcessMemory {
  private let file: Int32

  /// Fails if the process has ended, or may not be read.
  package init?(of pid: pid_t) {
    file = open(LiveProcess.folder(of: pid) + "/mem", O_RDONLY | O_CLOEXEC)
    if file < 0 { return nil }
  }

  deinit { close(file) }

  /// A number or another plain value at an address, aligned or not; nil if the memory is not mapped.
  package func load<Value: BitwiseCopyable>(_ address: UInt64, as type: Value.Type) -> Value? {
    withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { buffer -> Value? in
      let size = MemoryLayout<Value>.size
      // Addresses of the upper half are the kernel's.
      guard let offset = off_t(exactly: address),
        pread(file, buffer.baseAddress!, size, offset) == size
      else { return nil }
      return buffer[0]
    }
  }

  /// The bytes from an address on: fewer than `count` where mapped memory ends.
  package func bytes(_ address: UInt64, count: Int) -> [UInt8] {
    guard let offset = off_t(exactly: address) else { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
      size = max(0, pread(file, buffer.baseAddress!, count, offset))
    }
  }

  /// The bytes of a C string, without its end; nil if it is not mapped or longer than `most`.
  package func string(_ address: UInt64, most: Int = 1024) -> [UInt8]? {
    var bytes: [UInt8] = []
    guard let start = off_t(exactly: address) else { return nil }
    while bytes.count < most {
      var piece = [UInt8](repeating: 0, count: 64)
      let count = pread(file, &piece, piece.count, start + off_t(bytes.count))
      guard count > 0 else { return nil }
      if let end = piece[..<count].firstIndex(of: 0) { return bytes + piece[..<end] }
      bytes += piece[..<count]
    }
    return nil
  }
}
