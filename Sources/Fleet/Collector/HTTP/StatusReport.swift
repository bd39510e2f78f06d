import FirstlightModel
import FleetModel
import SpoolIntake
import SystemSupport

/// The present state of the daemon.
struct StatusReport: Sendable {
  let configuration: DaemonConfiguration
  let store: (any FleetStore)?
  let ledger: IntakeLedger?
  let admission: Admission
  let watcher: SpoolWatcher?
  let monitor: DaemonMonitor

  /// - Parameter countsStore: whether to count what the store holds.
  func document(countsStore: Bool = true) async throws -> StatusDocument {
    let now = monitor.now
    var document = StatusDocument(
      version: ToolVersion.text, startedAt: monitor.startedAt, spool: configuration.spool,
      sink: configuration.upstream ?? store?.name ?? "none", sinkReachable: now.isSinkReachable,
      intakeProblem: now.intakeFailure, outboxTraces: now.waiting.rows,
      outboxBytes: now.waiting.bytes,
      outboxOldestSeconds: now.waiting.oldest,
      counts: Dictionary(
        uniqueKeysWithValues: now.counts.map { (TextBytes($0.key.text), $0.value) }),
      running: (watcher?.running ?? []).map {
        StatusDocument.Running(
          pid: $0.pid, path: $0.path, startedAt: $0.startedAt, firstCalls: $0.firstCalls,
          ready: $0.isReady)
      })
    if let store, countsStore {
      let size = try await store.size()
      document.builds = size.builds
      document.rows = size.rows
      document.coverageRows = size.coverage
      document.sampledTraces = size.sampledTraces
    }
    return document
  }

  /// Seconds without progress after which the spool counts as unusable.
  private static let patience = 10.0

  /// The reason to send requests elsewhere for now; nil if the daemon is ready.
  func obstacle() async -> String? {
    let now = monitor.now
    if let failure = now.intakeFailure { return failure }
    let silence = monitor.intakeSilence
    if silence > Self.patience {
      return "the spool has not answered for \(TimeText.text(silence))"
    }
    if let (text, until) = now.storeFailure, Clock.monotonic() < until { return text }
    do {
      try admission.check()
      try ledger?.check()
      // Cheap, whatever the store contains.
      _ = try await store?.firstOpenDay()
      try store?.checkSpace()
      return nil
    } catch {
      return "\(error)"
    }
  }
}

/// Checks readiness once for all concurrent requests, because any client may ask.
actor Readiness {
  private let status: StatusReport
  private var asking: Task<String?, Never>?

  init(_ status: StatusReport) { self.status = status }

  /// As `StatusReport.obstacle()`.
  func obstacle() async -> String? {
    if let asking { return await asking.value }
    let asking = Task { await status.obstacle() }
    self.asking = asking
    defer { self.asking = nil }
    return await asking.value
  }
}

extension DaemonMonitor.Event {
  /// For people and JSON: `processes taken`.
  var text: String {
    rawValue.replacing(utf8: "firstlightd_", with: "").replacing(utf8: "_total", with: "")
      .replacing(utf8: "_", with: " ")
  }
}
