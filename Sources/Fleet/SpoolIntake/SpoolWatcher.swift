import FirstlightModel
import Glibc
import Synchronization
import SystemSupport

/// Passes over a spool whenever there may be something: files appear (inotify), processes end (checked as
/// long as any runs), or a program asks for it (the socket).
///
/// None of these is trusted: each only leads to a pass, and a pass looks at everything.
package final class SpoolWatcher: Sendable {
  /// Callbacks to the daemon, on the watcher's thread.
  package struct Handlers: Sendable {
    package var passed: @Sendable (IntakeReport, _ seconds: Double) -> Void
    package var failed: @Sendable (Failure) -> Void
    /// Whether a pass may be made now; false as long as what was taken in finds no room.
    package var mayTake: @Sendable () -> Bool

    package init(
      passed: @escaping @Sendable (IntakeReport, Double) -> Void,
      failed: @escaping @Sendable (Failure) -> Void,
      mayTake: @escaping @Sendable () -> Bool
    ) {
      self.passed = passed
      self.failed = failed
      self.mayTake = mayTake
    }
  }

  private let wake: WakePipe
  private let isStopped = Mutex(false)
  /// Process files.
  private let current = Mutex<[String]>([])

  /// - Throws: `.system` if no pipe can be made.
  package init() throws(Failure) { wake = try WakePipe() }

  /// The processes that ran when the spool was last looked at, a thousand at most, with the present contents
  /// of their files.
  package var running: [RunningProcess] {
    current.withLock { $0 }.compactMap(RunningProcess.init(file:))
      .sorted { ($0.startedAt, $0.pid) < ($1.startedAt, $1.pid) }
  }

  /// Has the spool looked at soon. Any thread.
  package func requestScan() { wake.ring() }

  /// Ends `run` after the pass it is in. Any thread.
  package func stop() {
    isStopped.withLock { $0 = true }
    requestScan()
  }

  /// Watches until `stop` is called, and blocks its thread for that time.
  /// - Parameter listening: a socket that systemd made; nil makes one at `socketPath`, if that is set.
  /// - Throws: `.cannotCreate` if there can't be a socket, `.system` if nothing can be watched.
  package func run(
    _ intake: SpoolIntake, socketPath: String?, listening: CInt?, handlers: Handlers
  ) throws(Failure) {
    var socket: ScanSocket?
    if let listening {
      socket = ScanSocket(listening: listening)
    } else if let socketPath {
      socket = try ScanSocket(path: socketPath)
    }
    let changes: DirectoryWatch
    do { changes = try DirectoryWatch(intake.spool.path) } catch {
      throw Failure(.system, "\(intake.spool.path): cannot be watched: \(error.text)")
    }
    var isDue = true
    var pause = 0.0
    while !isStopped.withLock({ $0 }) {
      if isDue, handlers.mayTake() {
        let start = Clock.monotonic()
        do throws(Failure) {
          let report = try intake.pass(now: Clock.realtime())
          current.withLock { $0 = intake.runningFiles() }
          let seconds = Clock.monotonic() - start
          handlers.passed(report, seconds)
          // Looking must not become all that we do.
          pause = report.left > 0 ? max(intake.options.sweepInterval, seconds * 4) : -1
        } catch {
          handlers.failed(error)
          pause = 1
        }
      } else if isDue {
        pause = 0.2
      }
      isDue = wait(changes: changes, socket: socket, seconds: pause)
    }
  }

  /// Waits for a reason to look; negative seconds wait for good.
  private func wait(changes: DirectoryWatch, socket: ScanSocket?, seconds: Double) -> Bool {
    var polled = [
      pollfd(fd: wake.output, events: Int16(POLLIN), revents: 0),
      pollfd(fd: changes.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: socket?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    let count = poll(&polled, 3, seconds < 0 ? -1 : CInt((seconds * 1000).rounded(.up)))
    if count == 0 { return true }
    wake.reset()
    var needsScan = polled[0].revents != 0
    if polled[1].revents != 0 {
      changes.take()
      needsScan = true
    }
    if polled[2].revents != 0, let socket {
      needsScan = socket.answer(now: Int(Clock.monotonic())) || needsScan
    }
    return needsScan
  }
}
