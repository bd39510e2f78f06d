import DebugInfo
import Dispatch
import FirstlightModel
import Glibc
import SystemSupport
import TextFormatting

/// Opens images with debug information from debuginfod servers, if `DEBUGINFOD_URLS` names any
/// (debuginfod-find(1), whose other variables apply as well).
package enum DebugFiles {
  /// Whether there are servers to query.
  package static var asks: Bool { client != nil }

  /// Opens an image, with debug information from debuginfod's cache. If `mayAsk`, queries servers
  /// for information that is missing everywhere; reports their problems, and continues without.
  ///
  /// Fails like `DebugImage`.
  package static func image(
    of path: String, mayAsk: Bool = true, place: ForeignPlace? = nil
  ) throws(Failure) -> DebugImage {
    func open() throws(Failure) -> DebugImage {
      try DebugImage(
        path: path, debuginfodCache: client?.cache.folder, place: place)
    }
    var image = try open()
    guard mayAsk, let client else { return image }
    // A second round is for dwz files, which only the debug file names.
    for _ in 0..<2 {
      let missing = image.missingDebugFiles.filter(client.mustAsk)
      guard !missing.isEmpty else { return image }
      var isBetter = false
      for build in missing { isBetter = fetch(build, for: path, client) || isBetter }
      guard isBetter else { return image }
      image = try open()
    }
    return image
  }

  /// Nil if `DEBUGINFOD_URLS` names no server.
  private static let client: DebuginfodClient? = {
    func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    let servers = DebuginfodServer.list(variable("DEBUGINFOD_URLS") ?? "")
    guard !servers.isEmpty, let cache = DebuginfodCache.standard(variable) else { return nil }
    var limits = DebuginfodServer.Limits()
    if let bytes = variable("DEBUGINFOD_MAXSIZE").flatMap(Int.init), bytes > 0 {
      limits.bytes = bytes
    }
    if let seconds = variable("DEBUGINFOD_MAXTIME").flatMap(Int64.init), seconds > 0 {
      limits.seconds = seconds
    }
    return DebuginfodClient(servers, cache: cache, limits: limits)
  }()

  /// The result of a task, passed through its semaphore.
  private final class Outcome: @unchecked Sendable {
    let isKnown = DispatchSemaphore(value: 0)
    // Written before the signal, read after the wait.
    var result: Result<Bool, Failure>?
  }

  /// Whether a build's debug information is in the cache now. Blocks; shows progress if that takes long.
  private static func fetch(
    _ build: BuildID, for path: String, _ client: DebuginfodClient
  ) -> Bool {
    let outcome = Outcome()
    // Dispatch's threads block signals, and the threads they start inherit that: signals are for
    // the thread that waits for a program.
    Task.detached {
      do throws(Failure) {
        outcome.result = .success(try await client.fetch(build))
      } catch {
        outcome.result = .failure(error)
      }
      outcome.isKnown.signal()
    }
    let before = client.bytesReceived
    var wait = DispatchTime.now() + .seconds(1)
    while outcome.isKnown.wait(timeout: wait) == .timedOut {
      let received = CountText.bytes(UInt64(client.bytesReceived - before))
      Terminal.progress("debuginfod: \(received) for \(path)")
      wait = DispatchTime.now() + .milliseconds(200)
    }
    Terminal.clearProgress()
    switch outcome.result {
    case .success(let isThere): return isThere
    case .failure(let problem):
      Terminal.report("note: debuginfod: \(problem); reading \(path) without its debug file")
      return false
    case nil: return false
    }
  }
}
