import FirstlightModel
import FleetModel
import Glibc
import Logging
import SystemSupport

/// Sends the windows that watchers leave in the spool (`WindowSpool`), and removes what the sink has.
struct WindowRelay: Sendable {
  /// Path of the spool.
  let spool: String
  /// Labels of all runs of this host.
  let labels: FleetLabels
  let sink: any FleetSink
  let monitor: DaemonMonitor
  let logger: Logger

  /// Largest file, bytes: several times what `RunStates.batches` makes. Any user can write to the spool.
  private static let sizeLimit = 64 << 20
  /// Most files that wait: beyond it, the oldest are removed.
  private static let fileLimit = 10_000

  private struct Window {
    var path: String
    var changed: timespec
    var size: Int

    /// Nil unless it is a regular file.
    init?(_ path: String) {
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
      self.path = path
      (changed, size) = (status.st_ctim, Int(status.st_size))
    }
  }

  /// - Returns: whether there was anything to send.
  func send() async throws(DeliveryError) -> Bool {
    let windows = waiting()
    for window in windows.dropLast(Self.fileLimit) {
      remove(window, .dropped, "recording dropped: quota exceeded")
    }
    for window in windows.suffix(Self.fileLimit) {
      if Task.isCancelled { break }
      try await send(window)
    }
    return !windows.isEmpty
  }

  /// The windows, oldest first.
  private func waiting() -> [Window] {
    let names = (try? DirectoryListing.names(in: spool)) ?? []
    return names.filter { $0.hasSuffix(WindowSpool.suffix) }
      .compactMap { Window("\(spool)/\($0)") }.sorted {
        ($0.changed.tv_sec, $0.changed.tv_nsec) < ($1.changed.tv_sec, $1.changed.tv_nsec)
      }
  }

  private func send(_ window: Window) async throws(DeliveryError) {
    let batch: [UInt8]
    do throws(Failure) {
      guard window.size <= Self.sizeLimit else { throw Failure(.data, "is too large") }
      guard let bytes = try? FileContents.read(window.path) else { return }
      batch = try travelling(StateBatch(bytes))
    } catch {
      return remove(window, .quarantined, "window cannot be read: \(error)")
    }
    let receipt: StateReceipt
    do throws(DeliveryError) { receipt = try await sink.deliver(batch) } catch {
      guard case .refused(let failure) = error else { throw error }
      return remove(window, .refused, "window refused by the receiver: \(failure)")
    }
    // Rows whose day has not begun are sent again later.
    guard receipt.early.isEmpty, receipt.crowded.isEmpty else { return }
    for refused in receipt.refused {
      monitor.count(.refused)
      logger.error("window refused by the receiver", metadata: ["reason": "\(refused.reason)"])
    }
    monitor.count(.delivered, receipt.added)
    // A newer window may have replaced the file meanwhile.
    if Window(window.path)?.changed.tv_nsec == window.changed.tv_nsec { unlink(window.path) }
  }

  /// The batch with this host's labels and without paths.
  private func travelling(_ batch: StateBatch) throws(Failure) -> [UInt8] {
    var rows: [[UInt8]] = []
    for place in batch.rows.indices {
      var state = try batch.row(place)
      state.key.series.labels = labels
      rows.append((sink.isOfThisHost ? state : state.withoutPath()).encoded())
    }
    return StateBatch.encode(batch.secret, rows: rows)
  }

  private func remove(_ window: Window, _ event: DaemonMonitor.Event, _ what: String) {
    monitor.count(event)
    logger.error("\(what)", metadata: ["file": "\(window.path)"])
    unlink(window.path)
  }
}
