import Glibc

/// Asks the kernel whether any process, in whatever namespace, has a file open or mapped for writing: it
/// refuses a read lease as long as one has (fcntl(2), "Leases").
enum FileLease {
  /// Whether a process may still write; nil if unknown: the file is another user's and we lack `CAP_LEASE`,
  /// or its file system has no leases.
  static func isWritable(_ path: String) -> Bool? {
    let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return errno == ENOENT ? false : nil }
    defer { close(file) }
    // A process that now opens the file for writing waits until we give the lease back. The kernel signals
    // that with SIGIO, which would end this process if it were not ignored.
    _ = isDeaf
    guard fcntl(file, setLease, CInt(F_RDLCK)) == 0 else { return errno == EAGAIN ? true : nil }
    _ = fcntl(file, setLease, CInt(F_UNLCK))
    return false
  }

  /// `F_SETLEASE`, which Swift does not import (linux/fcntl.h).
  private static let setLease: CInt = 1024

  private static let isDeaf: Bool = {
    signal(SIGIO, SIG_IGN)
    return true
  }()
}
