import Glibc

/// A file as it is now: a run may build a program, run it, and rebuild it.
package struct FileIdentity: Hashable {
  package let path: String
  private let device, inode, size, changed: Int

  package init(_ path: String) {
    self.path = path
    var status = stat()
    stat(path, &status)
    device = Int(status.st_dev)
    inode = Int(status.st_ino)
    size = Int(status.st_size)
    changed = Int(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int(status.st_mtim.tv_nsec)
  }
}
