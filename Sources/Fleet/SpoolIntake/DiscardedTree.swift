import FirstlightModel
import Glibc
import SystemSupport

/// Removes directories that users have left, which may change meanwhile.
///
/// A directory is first moved to a folder of our own. Nothing below it is reached by a path of several names, so no link
/// leads elsewhere, and directories in it are moved beside it, so any depth takes one descriptor.
struct DiscardedTree {
  static let prefix = "discarded-"

  /// A folder that belongs to us alone.
  let folder: String

  /// A name that is free.
  func newName() -> String { Self.prefix + String(UInt64.random(in: .min ... .max), radix: 16) }

  /// Removes all discarded directories. Those that change at the same moment are left for the next call.
  /// - Parameter progress: called for each name.
  func remove(progress: () -> Void) {
    let own = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard own >= 0 else { return }
    defer { close(own) }
    var left = ((try? DirectoryListing.names(of: own)) ?? []).filter {
      $0.utf8.starts(with: Self.prefix.utf8)
    }
    while let name = left.popLast() {
      left += clear(name, in: own, progress: progress)
      _ = unlinkat(own, name, CInt(AT_REMOVEDIR))
    }
  }

  /// Removes the contents of a directory.
  /// - Returns: the new names of directories in it.
  private func clear(_ name: String, in own: CInt, progress: () -> Void) -> [String] {
    let directory = openat(own, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard directory >= 0 else { return [] }
    defer { close(directory) }
    var moved: [String] = []
    for child in (try? DirectoryListing.names(of: directory)) ?? [] {
      progress()
      let name = newName()
      child.withSystemText { child in
        if unlinkat(directory, child, 0) == 0 || errno != EISDIR { return }
        if renameat(directory, child, own, name) == 0 { moved.append(name) }
      }
    }
    return moved
  }
}
