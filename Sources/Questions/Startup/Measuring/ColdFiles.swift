import FirstlightModel
import Glibc

/// The files whose pages are dropped before each cold run, so that a start-up reads them from disk.
struct ColdFiles {
  let dropped: [FileCache]
  /// Files with pages that stay in memory, because other processes have them mapped, such as the C library's.
  /// All other pages of these files are dropped.
  let kept: [FileCache]
  let dropsAllCaches: Bool

  var all: [FileCache] { dropped + kept }

  /// - Parameter mapped: the files that the binaries had mapped at readiness. If empty, only the binaries' own
  ///   files are dropped.
  init(_ binaries: [MeasuredBinary], mapped: [String], dropsAllCaches: Bool) {
    self.dropsAllCaches = dropsAllCaches
    var paths: Set<TextBytes> = []
    var dropped = binaries.map(\.cache).filter { paths.insert($0.path).inserted }
    var kept: [FileCache] = []
    for path in Set(texts: mapped).subtracting(paths).sorted().map(\.text) {
      guard let cache = try? FileCache(path) else { continue }
      if !cache.isInMemoryOnly, cache.drop() == 0 {
        dropped.append(cache)
      } else {
        kept.append(cache)
      }
    }
    self.dropped = dropped
    self.kept = kept
  }

  /// The reason why a binary cannot be started cold; nil if it can. Drops the binary's pages.
  func obstacle(_ binary: MeasuredBinary) throws(Failure) -> String? {
    if dropsAllCaches { try FileCache.dropAll() }
    let left = binary.cache.isInMemoryOnly ? binary.cache.pageCount : binary.cache.drop()
    if left == 0 { return nil }
    let why =
      binary.cache.isInMemoryOnly
      ? "it is in a memory file system"
      : "\(left) of its pages stay in memory: another process has them mapped or locked, or the file "
        + "is not ours"
    return "\(binary.title) cannot be started cold: \(why)"
  }

  /// Drops the pages of all files.
  ///
  /// - Returns: the number of remaining pages for each file that should have none.
  func drop() throws(Failure) -> [TextBytes: Int] {
    if dropsAllCaches { try FileCache.dropAll() }
    for file in kept { file.drop() }
    var left: [TextBytes: Int] = [:]
    for file in dropped {
      let count = file.drop()
      if count > 0 { left[file.path] = count }
    }
    return left
  }
}
