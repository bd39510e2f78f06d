import FirstlightModel
import Glibc
import Synchronization
import SystemSupport

/// Starts a pass over a spool whenever it may be useful: files appear (inotify), processes end
/// (polled while any runs), or a program requests a scan (the socket).
///
/// No trigger is trusted: each only starts a pass, and a pass checks everything.
package final class SpoolWatcher: Sendable {
  /// The daemon's callbacks, called on the watcher's thread.
  package struct Handlers: Sendable {
    package var passed: @Sendable (IntakeReport, _ seconds: Double) -> Void
    package var failed: @Sendable (Failure) -> Void

    package init(
      passed: @escaping @Sendable (IntakeReport, Double) -> Void,
      failed: @escaping @Sendable (Failure) -> Void
    ) {
      self.passed = passed
      self.failed = failed
    }
  }

  private let wake: WakePipe
  private let isStopped = Mutex(false)
  /// Paths of the running processes' files.
  private let current = Mutex<[String]>([])
  private let progress = PassProgress()

  /// Seconds for which a pass has made no progress; 0 between passes.
  package var silence: Double { progress.silence }

  /// - Throws: `.system` if no pipe can be created.
  package init() throws(Failure) { wake = try WakePipe() }

  /// The processes that ran at the last scan, at most a thousand, with the current contents of
  /// their files.
  package var running: [RunningProcess] {
    current.withLock { $0 }.compactMap(RunningProcess.init(file:))
      .sorted { ($0.startedAt, $0.pid) < ($1.startedAt, $1.pid) }
  }

  /// Requests a scan of the spool. Safe from any thread.
  func requestScan() { wake.ring() }

  /// Ends `run` after its current pass. Safe from any thread.
  package func stop() {
    isStopped.withLock { $0 = true }
    requestScan()
  }

  /// Watches until `stop` is called, blocking the calling thread.
  /// - Parameter listening: a socket from systemd; nil creates one at `socketPath`, if that is set.
  /// - Throws: `.cannotCreate` if the socket cannot be created, `.system` if nothing can be watched.
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
      if isDue {
        let start = Clock.monotonic()
        do throws(Failure) {
          let report = try intake.pass(now: Clock.realtime(), progress)
          current.withLock { $0 = intake.runningFiles() }
          let seconds = Clock.monotonic() - start
          handlers.passed(report, seconds)
          // Limits the share of time spent on scans.
          pause = report.left > 0 ? max(intake.options.sweepInterval, seconds * 4) : -1
        } catch {
          handlers.failed(error)
          pause = 1
        }
      }
      isDue = wait(changes: changes, socket: socket, seconds: pause)
    }
  }

  /// Waits for a trigger; negative seconds wait without limit.
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
