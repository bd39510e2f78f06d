import FirstlightModel
import Glibc

/// The files whose pages are dropped before each cold run, so that a start-up reads them from disk.
struct ColdFiles {
  let dropped: [FileCache]
  /// Paths of those that stay in memory since other processes, maybe we, have them mapped: about any
  /// process has the C library.
  let kept: [String]
  let dropsAllCaches: Bool

  /// - Parameter mapped: what the binaries had mapped when they were ready; only they themselves, if
  ///   it is empty.
  init(_ binaries: [MeasuredBinary], mapped: [String], dropsAllCaches: Bool) {
    self.dropsAllCaches = dropsAllCaches
    var paths: Set<String> = []
    var dropped = binaries.map(\.cache).filter { paths.insert($0.path).inserted }
    // We have the binaries mapped ourselves, without a page of theirs in our memory.
    var kept = Set(ProcessSnapshot.mappedFiles(of: "self")).intersection(mapped).subtracting(paths)
    for path in Set(mapped).subtracting(paths).subtracting(kept).sorted() {
      if let cache = try? FileCache(path), !cache.isInMemoryOnly, cache.drop() == 0 {
        dropped.append(cache)
      } else {
        kept.insert(path)
      }
    }
    self.dropped = dropped
    self.kept = kept.sorted()
  }

  /// Why a binary cannot be started cold; nil: it can. Drops its pages.
  func obstacle(_ binary: MeasuredBinary) throws(Failure) -> String? {
    if dropsAllCaches { try FileCache.dropAll() }
    let left = binary.cache.isInMemoryOnly ? binary.cache.pageCount : binary.cache.drop()
    if left == 0 { return nil }
    let why =
      binary.cache.isInMemoryOnly
      ? "it lies in a file system that is memory"
      : "\(left) of its pages stayed: another process has them mapped or locked, or the file is not "
        + "ours and the kernel does not tell"
    return "\(binary.title) cannot be started cold: \(why)"
  }

  /// Drops them all.
  ///
  /// - Returns: for each file of which pages stayed, how many.
  func drop() throws(Failure) -> [String: Int] {
    if dropsAllCaches { try FileCache.dropAll() }
    var left: [String: Int] = [:]
    for file in dropped {
      let count = file.drop()
      if count > 0 { left[file.path] = count }
    }
    return left
  }
}
