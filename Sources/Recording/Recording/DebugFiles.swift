import DebugInfo
import FirstlightModel
import Glibc
import Synchronization
import SystemSupport

/// Opens images with debug information from debuginfod servers, if `DEBUGINFOD_URLS` names any
/// (debuginfod-find(1), whose other variables apply as well).
package enum DebugFiles {
  /// Whether there are servers to query.
  package static let asks = !Debuginfod.servers.isEmpty

  /// Opens an image, with debug information from debuginfod's cache. If `mayAsk`, queries servers
  /// for information that is missing everywhere; reports their problems, and continues without.
  ///
  /// Fails like `DebugImage`.
  package static func image(
    of path: String, mayAsk: Bool = true, place: ForeignPlace? = nil
  ) throws(Failure) -> DebugImage {
    func open() throws(Failure) -> DebugImage {
      try DebugImage(path: path, debuginfodCache: cache, place: place)
    }
    var image = try open()
    guard mayAsk, asks else { return image }
    // A second round is for dwz files, which only the debug file names.
    for _ in 0..<2 {
      let missing = image.missingDebugFiles
      guard !missing.isEmpty else { return image }
      var isBetter = false
      for build in missing { isBetter = fetch(build, for: path) || isBetter }
      guard isBetter else { return image }
      image = try open()
    }
    return image
  }

  private static let cache =
    asks
    ? Debuginfod.cache { name in getenv(name).map { String(cString: $0) } } : nil

  /// The download that progress shows.
  private struct Download {
    var path = ""
    var start = ContinuousClock.now
    /// After a problem, no server is asked again.
    var isGivenUp = false
  }
  private static let download = Mutex(Download())

  /// Whether a build's debug information is in the cache now. Blocks; shows progress if that takes long.
  private static func fetch(_ build: BuildID, for path: String) -> Bool {
    let isGivenUp = download.withLock { download in
      (download.path, download.start) = (path, .now)
      return download.isGivenUp
    }
    if isGivenUp { return false }
    defer { Terminal.clearProgress() }
    do throws(Failure) {
      let found = try Debuginfod.find(.debuginfo, of: build) { _, received, total in
        DebugFiles.download.withLock { download in
          if ContinuousClock.now - download.start > .seconds(1) {
            // Without a total, the client counts its looks instead of bytes.
            let size = total > 0 ? CountText.bytes(UInt64(max(0, received))) : "waiting"
            Terminal.progress("debuginfod: \(size) for \(download.path)")
          }
        }
        return 0
      }
      if let found { close(found.descriptor) }
      return found != nil
    } catch {
      download.withLock { $0.isGivenUp = true }
      Terminal.report("note: debuginfod: \(error); reading \(path) without its debug file")
      return false
    }
  }
}
