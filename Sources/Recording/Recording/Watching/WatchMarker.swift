import FirstlightModel
import Glibc
import SystemSupport

/// Stands in a recording while its watch goes on. If the watcher is killed, it stays: processes that had started and were
/// not seen yet are missing.
///
/// It is the file of a process that watches itself, without images.
struct WatchMarker {
  private let writer: ProcessWriter

  /// - Parameter path: the watched program.
  /// - Throws: `.cannotCreate`.
  init(_ path: String, in folder: WatchFolder) throws(Failure) {
    writer = try ProcessWriter(
      ProcessWriter.Origin(
        pid: UInt32(getpid()), parent: UInt32(getppid()),
        start: LiveProcess(getpid())?.startTime ?? 0,
        clock: (UInt64(Clock.monotonic() * 1e9), UInt64(Clock.realtime() * 1e9)), forkedFrom: nil,
        isLate: false, engine: .probes, path: Array(path.utf8), command: []), in: folder)
  }

  /// The watch has ended in order.
  func remove() { writer.remove() }
}
