import FirstlightLauncher
import FirstlightModel
import Glibc
import Synchronization
import SystemSupport

/// Watches on a separate thread for a program's readiness: it reports readiness, writes a line,
/// listens, or answers.
///
/// Create it before the program starts, call `start` when the program runs and `finish` when it has
/// ended. The thread ends with this object.
package final class ReadinessWatcher: Sendable {
  /// A pipe that is readable after readiness. Owned by this object.
  package var descriptor: Int32 { reached.output }
  private let moment: ReadinessCondition
  private let state = Mutex(State())
  private let reached: WakePipe
  /// Ends the thread.
  private let stop: WakePipe
  /// Watches the directory for the runtime's file that ends in `.ready`; nil for other conditions.
  private let files: DirectoryWatch?
  /// The program's streams if a line is awaited; nil for other conditions.
  package let streams: LaunchStreams?

  private struct State {
    var reachedAt: Double?
    var resolution = 0.0
    var answer: Int?
    var thread: SignalFreeThread?
  }

  /// The interval for polling a port, which sends no notification when it opens: a twentieth of the time
  /// since the start, within these bounds; nanoseconds.
  private static let intervals = 50_000.0...200_000.0
  /// The polling interval, for display.
  package static let intervalText = "every 0.05 to 0.2 ms"

  /// - Parameters:
  ///   - directory: FIRSTLIGHT_DIR of the program, for the condition `ready`.
  ///   - input: the program's input if a line is awaited; this object closes it.
  ///   - copy: receives the output if a line is awaited; -1 for none.
  /// - Returns: nil for conditions without watching: exit and durations.
  /// - Throws: `Failure` of kind `system`, or `unavailable` if another program listens on the port already.
  package init?(
    _ moment: ReadinessCondition, directory: String?,
    input: @autoclosure () throws(Failure) -> Int32, copy: Int32 = -1
  ) throws(Failure) {
    self.moment = moment
    var files: DirectoryWatch?
    var streams: LaunchStreams?
    switch moment {
    case .exit, .duration: return nil
    case .ready: files = try Self.watch(directory ?? "")
    case .line(let text): streams = try LaunchStreams(line: text, input: input(), copy: copy)
    case .port(let port), .http(let port, _): try Self.waitUntilUnused(port)
    }
    self.files = files
    self.streams = streams
    reached = try WakePipe()
    stop = try WakePipe()
  }

  private static func watch(_ directory: String) throws(Failure) -> DirectoryWatch {
    do { return try DirectoryWatch(directory) } catch {
      throw Failure(
        .system, "\(directory): cannot watch this directory: \(error.text)",
        advice: "raise fs.inotify.max_user_instances, or use --until with a port or a duration")
    }
  }

  /// A child of an ended process may hold the port for a moment.
  private static func waitUntilUnused(_ port: Int) throws(Failure) {
    let table = ListeningPort(port)
    let deadline = Clock.monotonic() + 1
    while table.isOpen() {
      guard Clock.monotonic() < deadline else {
        throw Failure(
          .unavailable, "port \(port) is already in use",
          advice: "stop the program that listens there, or choose another port")
      }
      usleep(10_000)
    }
  }

  deinit {
    stop.ring()
    state.withLock { $0.thread }?.join()
  }

  /// CLOCK_MONOTONIC at readiness, seconds; nil before.
  package var reachedAt: Double? { streams?.reachedAt ?? state.withLock { $0.reachedAt } }

  /// Whether `reachedAt` is exact, and counts even if the program has ended since.
  package var isExact: Bool { streams != nil }

  /// Time between the last two polls, seconds: the accuracy of `reachedAt`.
  package var resolution: Double { state.withLock { $0.resolution } }

  /// The status of the answer to a GET: 200, 404; 0 if it was not HTTP; nil before.
  package var answer: Int? { state.withLock { $0.answer } }

  /// Starts watching. Call once.
  ///
  /// - Parameters:
  ///   - pid: the program, which selects the network namespace.
  ///   - onReached: called on the watcher's thread.
  package func start(pid: pid_t, onReached: @escaping @Sendable () -> Void = {}) {
    if let streams {
      return streams.start { [reached] in
        reached.ring()
        onReached()
      }
    }
    let thread = SignalFreeThread(for: self) { $0.run(pid: pid, onReached: onReached) }
    state.withLock { $0.thread = thread }
  }

  /// Reads the rest of the program's output. Call once the program has ended: its last line may match.
  package func finish() { streams?.finish() }

  private func run(pid: pid_t, onReached: () -> Void) {
    guard isReached(pid) else { return }
    let now = Clock.monotonic()
    state.withLock { $0.reachedAt = now }
    reached.ring()
    onReached()
  }

  /// Waits for readiness; false if stopped first.
  private func isReached(_ pid: pid_t) -> Bool {
    switch moment {
    case .exit, .line, .duration: return false  // These do not wait here.
    case .ready:
      while let files, waits(for: files.descriptor, nanoseconds: nil) {
        if files.take({ $0.reversed().starts(with: ".ready".utf8.reversed()) }) { return true }
      }
      return false
    case .port(let port):
      let table = ListeningPort(port)
      // After the program has become a daemon, only our own network namespace can be read.
      return looks { table.isOpen(process: pid) }
    case .http(let port, let path):
      let request = ReadinessRequest(port: port, path: path)
      while true {
        var connection: Int32 = -1
        guard
          looks({
            connection = request.connect()
            return connection >= 0
          })
        else { return false }
        defer { close(connection) }
        guard waits(for: connection, nanoseconds: nil) else { return false }
        guard let status = request.answer(on: connection) else { continue }
        state.withLock { $0.answer = status }
        return true
      }
    }
  }

  /// Polls a condition.
  private func looks(_ isThere: () -> Bool) -> Bool {
    let start = Clock.monotonic()
    var lookedAt = start
    fl_wake_punctually()
    while true {
      let now = Clock.monotonic()
      if isThere() {
        let resolution = Clock.monotonic() - lookedAt
        state.withLock { $0.resolution = resolution }
        return true
      }
      lookedAt = now
      let share = (now - start) / 20 * 1e9
      let bounds = Self.intervals
      let interval = min(max(share, bounds.lowerBound), bounds.upperBound)
      if !waits(for: -1, nanoseconds: Int64(interval)) { return false }
    }
  }

  /// Waits until a descriptor is readable or the time is over; false if the watch must end.
  private func waits(for file: Int32, nanoseconds: Int64?) -> Bool {
    fl_wait(stop.output, file, nanoseconds ?? -1) & Int32(FL_WAIT_FIRST) == 0
  }
}
