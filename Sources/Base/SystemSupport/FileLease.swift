import Glibc

/// A read lease on an open file (fcntl(2), "Leases"): the kernel refuses it while any process, in any namespace, has
/// the file open or mapped for writing. While it lasts, a process that opens the file for writing waits.
package struct FileLease {
  private let file: Int32

  /// Lasts until the file is closed.
  ///
  /// - Parameter file: a descriptor, open for reading.
  /// - Returns: nil, with `errno` set, if the kernel refuses: `EAGAIN` means that a process may write.
  package init?(_ file: Int32) {
    // The kernel signals a waiting writer with SIGIO, which would end this process if it were not ignored.
    _ = Self.isDeaf
    guard fcntl(file, Self.setLease, F_RDLCK) == 0 else { return nil }
    self.file = file
  }

  /// Whether a process waits to write to the file.
  package var isWanted: Bool { fcntl(file, Self.getLease) != F_RDLCK }

  /// Whether a process may still write; nil if unknown: the file is another user's and we lack
  /// `CAP_LEASE`, or its file system has no leases.
  package static func isWritable(_ path: String) -> Bool? {
    let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return errno == ENOENT ? false : nil }
    defer { close(file) }
    return FileLease(file) != nil ? false : errno == EAGAIN ? true : nil
  }

  /// `F_SETLEASE` and `F_GETLEASE`, which Swift does not import (linux/fcntl.h).
  private static let (setLease, getLease): (Int32, Int32) = (1024, 1025)

  private static let isDeaf: Bool = {
    signal(SIGIO, SIG_IGN)
    return true
  }()
}
