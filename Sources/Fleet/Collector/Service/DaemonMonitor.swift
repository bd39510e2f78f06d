import FirstlightModel
import FleetModel
import Logging
import Metrics
import SpoolIntake
import Synchronization
import SystemSupport

/// The daemon's metrics and state: counters for /metrics (swift-metrics), and the present state for /readyz and
/// `firstlight fleet status`.
final class DaemonMonitor: Sendable {
  enum Event: String, CaseIterable {
    case taken = "firstlightd_processes_taken_total"
    case quarantined = "firstlightd_processes_quarantined_total"
    case dropped = "firstlightd_processes_dropped_total"
    case delivered = "firstlightd_rows_delivered_total"
    case refused = "firstlightd_rows_refused_total"
    case crowded = "firstlightd_rows_crowded_total"
    case lost = "firstlightd_runs_lost_total"
    case deliveryFailures = "firstlightd_delivery_failures_total"
    case busy = "firstlightd_deliveries_postponed_total"
    case passFailures = "firstlightd_pass_failures_total"
    case received = "firstlightd_rows_received_total"
    case duplicates = "firstlightd_rows_known_total"
    case symbolized = "firstlightd_builds_symbolized_total"
    case readFailures = "firstlightd_read_failures_total"
    case droppedBuilds = "firstlightd_builds_dropped_total"
    case droppedDays = "firstlightd_build_days_dropped_total"
    case droppedSums = "firstlightd_sums_dropped_total"
    case droppedTraces = "firstlightd_sampled_traces_dropped_total"
    case slow = "firstlightd_slow_connections_total"
    case postponed = "firstlightd_postponed_batches_total"
    case displaced = "firstlightd_displaced_connections_total"
  }

  struct State: Sendable {
    /// Rows that are newer than their receiver's.
    var waiting = WaitingSize()
    var isSinkReachable = true
    /// The reason why the store is unreliable, and until when to believe that (seconds of uptime).
    var storeFailure: (text: String, until: Double)?
    /// The reason why the spool cannot be read at the moment.
    var intakeFailure: String?
    var counts: [Event: Int] = [:]
    var running = 0
  }

  private let state = Mutex(State())
  private let intake = Mutex<@Sendable () -> Double>({ 0 })
  let startedAt = Clock.realtime()

  /// Creates all counters at the start: Prometheus sees no increase in a counter that appears with a value.
  init() {
    for event in Event.allCases { Counter(label: event.rawValue).increment(by: 0) }
  }

  var now: State { state.withLock { $0 } }

  /// - Parameter silence: seconds for which a pass over the spool has made no progress.
  func watch(intake silence: @escaping @Sendable () -> Double) { intake.withLock { $0 = silence } }

  var intakeSilence: Double { intake.withLock { $0 }() }

  func count(_ event: Event, _ number: Int = 1) {
    guard number > 0 else { return }
    state.withLock { $0.counts[event] = $0.counts[event, default: 0].addingClamped(number) }
    Counter(label: event.rawValue).increment(by: Int64(number))
  }

  func waiting(_ size: WaitingSize) {
    state.withLock { $0.waiting = size }
    Gauge(label: "firstlightd_waiting_rows").record(size.rows)
    Gauge(label: "firstlightd_waiting_bytes").record(size.bytes)
    Gauge(label: "firstlightd_waiting_oldest_seconds").record(size.oldest ?? 0)
  }

  func sinkIsReachable(_ isReachable: Bool) {
    state.withLock { $0.isSinkReachable = isReachable }
    Gauge(label: "firstlightd_sink_reachable").record(isReachable ? 1 : 0)
  }

  func passed(_ report: IntakeReport, seconds: Double) {
    count(.taken, report.taken)
    count(.quarantined, report.quarantined.count)
    count(.dropped, report.dropped.reduce(0) { $0 + $1.processes + $1.others })
    state.withLock {
      $0.intakeFailure = nil
      $0.running = report.left
    }
    Gauge(label: "firstlightd_processes_running").record(report.left)
    Recorder(label: "firstlightd_pass_seconds", aggregate: false).record(seconds)
  }

  /// Notes recordings that were removed for lack of room in the quarantine.
  func removed(_ recordings: [String], _ logger: Logger) {
    count(.dropped, recordings.count)
    for text in recordings {
      logger.error("recording dropped: quota exceeded", metadata: ["process": "\(text)"])
    }
  }

  func dropped(_ rows: DeletedRows) {
    count(.droppedBuilds, rows.builds)
    count(.droppedDays, rows.days)
    count(.droppedSums, rows.sums)
    count(.droppedTraces, rows.sampledTraces)
  }

  func store(bytes: Int) { Gauge(label: "firstlightd_store_bytes").record(bytes) }

  /// Bytes of batches that are being received or wait to be counted.
  func received(bytes: Int) { Gauge(label: "firstlightd_received_bytes").record(bytes) }

  /// Notes that the store could not be written. A balancer that hears of it sends no more batches, so none would
  /// show that the store works again: only a damaged store stays unready for longer than a minute.
  func storeFailed(_ failure: Failure) {
    let until = failure.kind == .data ? .infinity : Clock.monotonic() + 60
    state.withLock { $0.storeFailure = ("\(failure)", until) }
  }

  func storeWorks() { state.withLock { $0.storeFailure = nil } }

  /// - Returns: whether this failure is new: the previous pass did not fail in the same way.
  func failed(_ failure: Failure) -> Bool {
    count(.passFailures)
    return state.withLock { state in
      defer { state.intakeFailure = "\(failure)" }
      return state.intakeFailure != "\(failure)"
    }
  }
}
