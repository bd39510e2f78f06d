import Foundation
import TestSupport
import Testing

/// A file system of 2 MiB, in memory, that goes when its owner goes. Mounting takes root.
final class SmallDisk {
  private let directory: TemporaryDirectory
  private let mountPoint: String

  static let isPossible = (try? SmallDisk()) != nil

  init() throws {
    directory = try TemporaryDirectory()
    mountPoint = directory.path("disk")
    try FileManager.default.createDirectory(
      atPath: mountPoint, withIntermediateDirectories: false)
    try Command.check(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", mountPoint])
  }

  // Lazy: what still holds a file there must not keep the disk.
  deinit { _ = try? Command.run(["umount", "--lazy", mountPoint]) }

  func path(_ name: String) -> String { "\(mountPoint)/\(name)" }

  /// Leaves no room for anything.
  func fill() throws {
    let result = try Command.run(["sh", "-c", "cat /dev/zero > \"$0\"", path("ballast")])
    try #require(result.errors.contains("No space left on device"))
  }

  func free() throws { try FileManager.default.removeItem(atPath: path("ballast")) }
}
