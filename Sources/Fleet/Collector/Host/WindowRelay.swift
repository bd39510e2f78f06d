import FirstlightModel
import FleetModel
import Glibc
import Logging
import Synchronization
import SystemSupport
import TraceReader

/// Sends the windows that watchers leave in the spool (`WindowSpool`), and removes those that the sink has.
struct WindowRelay: Sendable {
  /// Path of the spool.
  let spool: String
  /// Labels of all runs of this host.
  let labels: FleetLabels
  let sink: any FleetSink
  let monitor: DaemonMonitor
  let logger: Logger
  /// Windows that the receiver refused to read, with the time, in seconds since boot. They wait for an hour, or until a
  /// restart.
  private let refused = Refusals()

  private final class Refusals: Sendable {
    let times = Mutex<[String: Double]>([:])
  }

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
    let soon = Clock.monotonic() - 3600
    let waiting = refused.times.withLock { refused in
      refused = refused.filter { $0.value > soon }
      return refused
    }
    return names.filter { $0.ends(with: WindowSpool.suffix) }
      .compactMap { Window("\(spool)/\($0)") }.filter { waiting[$0.path] == nil }.sorted {
        ($0.changed.tv_sec, $0.changed.tv_nsec) < ($1.changed.tv_sec, $1.changed.tv_nsec)
      }
  }

  private func send(_ window: Window) async throws(DeliveryError) {
    let rows: [SeriesState]
    let secret: LedgerSecret
    do throws(Failure) {
      guard let bytes = try bytes(of: window) else { return }
      let batch = try StateBatch(bytes)
      (rows, secret) = (try travelling(batch), batch.secret)
    } catch {
      return remove(window, .quarantined, "window cannot be read: \(error)")
    }
    guard try await deliver(rows, as: secret, of: window) else { return }
    // A newer window may have replaced the file meanwhile.
    if Window(window.path)?.changed.tv_nsec == window.changed.tv_nsec { unlink(window.path) }
  }

  /// The contents of a window; nil: it is gone or another file by now.
  private func bytes(of window: Window) throws(Failure) -> [UInt8]? {
    guard window.size <= Self.sizeLimit else { throw Failure(.data, "is too large") }
    // Any user may put a pipe, a link or a larger file in its place at any time.
    guard let file = try? RegularFile(path: window.path, followsLinks: false),
      try file.size() == window.size
    else { return nil }
    return try file.bytes(count: window.size)
  }

  /// Sends rows. As with a ledger, rows of days that the receiver has closed count on its first open day, and rows of
  /// days that have not begun there count without a date.
  ///
  /// - Parameter day: the day of all rows; nil: their own.
  /// - Returns: whether the receiver has all of it, or never takes the rest.
  private func deliver(
    _ rows: [SeriesState], on day: FleetDay? = nil, as secret: LedgerSecret, of window: Window
  ) async throws(DeliveryError) -> Bool {
    var rows = rows
    if let day { for place in rows.indices { rows[place].key.series.day = day } }
    let receipt: StateReceipt
    do throws(DeliveryError) {
      receipt = try await sink.deliver(
        StateBatch.encode(secret, rows: rows.map { $0.encoded() }))
    } catch {
      guard case .refused(let failure) = error else { throw error }
      // The receiver may be of another version, so the window is kept for a later one.
      refused.times.withLock { $0[window.path] = Clock.monotonic() }
      monitor.count(.refused)
      logger.error(
        "window refused by the receiver: it is sent again in an hour",
        metadata: ["file": "\(window.path)", "reason": "\(failure)"])
      return false
    }
    monitor.count(.delivered, receipt.added)
    var isDone = receipt.places(.crowded).isEmpty
    let late = receipt.places(.late).filter(rows.indices.contains).map { rows[$0] }
    let early = receipt.places(.early).filter(rows.indices.contains).map { rows[$0] }
    for refusal in receipt.refusals.values
    where refusal.kind == .refused || refusal.kind == .late && day != nil {
      monitor.count(.refused)
      logger.error(
        "window refused by the receiver", metadata: ["reason": "\(refusal.reason ?? "")"])
    }
    guard day == nil else { return isDone && early.isEmpty }
    if !late.isEmpty {
      isDone =
        try await deliver(late, on: receipt.firstOpenDay, as: secret, of: window) && isDone
    }
    if !early.isEmpty {
      logger.error(
        "this host's clock is ahead of the receiver's: a window counts without a date, on 1970-01-01",
        metadata: ["to": "\(sink.name)", "file": "\(window.path)"])
      isDone = try await deliver(early, on: .undated, as: secret, of: window) && isDone
    }
    return isDone
  }

  /// The rows with this host's labels and without paths.
  private func travelling(_ batch: StateBatch) throws(Failure) -> [SeriesState] {
    var rows: [SeriesState] = []
    for place in batch.rows.indices {
      var state = try batch.row(place)
      state.key.series.labels = labels
      rows.append(sink.isOfThisHost ? state : state.withoutPath())
    }
    return rows
  }

  private func remove(_ window: Window, _ event: DaemonMonitor.Event, _ what: String) {
    monitor.count(event)
    logger.error("\(what)", metadata: ["file": "\(window.path)"])
    unlink(window.path)
  }
}
