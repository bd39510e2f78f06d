import FirstlightLauncher
import FirstlightModel
import Glibc
import SystemSupport

/// A program with its output in a file. It is started by its arguments; only a command line that our user gave for a
/// shell goes through one.
package struct ProgramCommand {
  package let log: ProgramLog
  private let arguments: [String]
  private let folder: String?
  private let environment: ProgramEnvironment
  private let input: String
  private let output: ProgramLog
  private let scope: Scope

  /// The processes that a termination signal for us ends.
  package enum Scope {
    /// The command, and all processes of its group if the terminal sends it. Signals that we have blocked, to finish our
    /// work first, are blocked in the command, too.
    case command
    /// All processes of its group. After a signal, the run lasts until all of them have ended.
    case group
    /// All processes of its own session. A signal kills them at once, and the command's end those that it leaves.
    case session
  }

  /// - Parameters:
  ///   - arguments: the first one is the program, a path or a name that is looked up on PATH.
  ///   - folder: the working directory; nil for ours.
  ///   - environment: changes of the command's environment; nil removes a variable.
  ///   - input: the file that it reads.
  ///   - output: takes its output, without its errors; nil for the log.
  ///   - log: takes its errors.
  package init(
    _ arguments: [String], in folder: String? = nil, environment: [TextBytes: String?] = [:],
    input: String = "/dev/null", output: ProgramLog? = nil, scope: Scope = .command,
    log: ProgramLog
  ) {
    self.arguments = arguments
    self.folder = folder
    // Compilers record the folder under the shell's name for it.
    var environment = environment
    if let folder { environment["PWD"] = .some(folder) }
    self.environment = ProgramEnvironment(environment)
    (self.input, self.output) = (input, output ?? log)
    self.scope = scope
    self.log = log
  }

  /// - Parameter shell: the user's command line.
  package init(
    shell: String, in folder: String? = nil, environment: [TextBytes: String?] = [:],
    output: ProgramLog? = nil, scope: Scope = .command, log: ProgramLog
  ) {
    self.init(
      ["/bin/sh", "-c", shell], in: folder, environment: environment, output: output, scope: scope,
      log: log)
  }

  /// The end of a command.
  package struct Ending {
    package var status: WaitStatus
    /// The first termination signal that we received meanwhile.
    package var signal: Int32?
    /// Whether it was killed because its time was over.
    package var isLate = false
  }

  /// Runs the command to its end. A termination signal then ends this process, too.
  ///
  /// - Returns: the wait status.
  /// - Throws: like `runToEnd`.
  @discardableResult
  package func run(_ what: String? = nil) throws(Failure) -> WaitStatus {
    let ending = try runToEnd(what)
    if let signal = ending.signal { EndingSignals.end(by: signal) }
    return ending.status
  }

  /// Runs the command to its end. Termination signals are forwarded. A terminal shows the elapsed time, and the
  /// last line.
  ///
  /// - Parameters:
  ///   - what: describes the command; nil shows nothing.
  ///   - limit: seconds after which a session is killed.
  /// - Throws: `Failure` of kind `system`, or like `PlainLaunch`.
  package func runToEnd(_ what: String? = nil, limit: Double? = nil) throws(Failure) -> Ending {
    let before = SignalMask.current
    let heeded = EndingSignals.heeded.filter { scope != .command || !before.contains($0) }
    var waited = EndingSignals.set(
      [SIGCHLD] + heeded + (scope == .session ? [] : TerminalJob.signals))
    pthread_sigmask(SIG_BLOCK, &waited, nil)
    defer { before.use() }
    let child = try start(mask: scope == .command ? before.set : nil)
    let job = scope == .session ? nil : TerminalJob(of: child.pid)
    defer { if what != nil { Terminal.clearProgress() } }
    let (signals, start) = (SignalWait(waited), Clock.monotonic())
    var asked: [Int32] = []
    // SIGCHLD goes to another thread if that has it unblocked, so the wait is never long.
    var interval = 0.001
    while true {
      while let (status, _) = child.change(stops: true) {
        if status.isStop {
          job?.programStopped(by: status.stopSignal)
          continue
        }
        if scope == .session { Self.endSession(child.pid) }
        if scope == .group, !asked.isEmpty { Self.endGroup(child.pid) }
        return Ending(status: status, signal: asked.first)
      }
      if case .signal(let signal, let isFromKernel) = signals.next(
        until: Clock.monotonic() + interval), signal != SIGCHLD, job?.take(signal) != true
      {
        asked.append(signal)
        let sent = asked.count > 2 || scope == .session ? SIGKILL : signal
        kill(scope == .command && !isFromKernel ? child.pid : -child.pid, sent)
      }
      if let limit, Clock.monotonic() - start > limit {
        kill(-child.pid, SIGKILL)
        guard let (status, _) = child.change(wait: true) else { continue }
        Self.endSession(child.pid)
        return Ending(status: status, signal: asked.first, isLate: true)
      }
      interval = min(0.2, 2 * interval)
      if let what, Terminal.isWatched {
        let seconds = Int(Clock.monotonic() - start)
        Terminal.progress("\(what)  \(seconds) s  \(log.lastLine.prefix(60))")
      }
    }
  }

  private func start(mask: sigset_t?) throws(Failure) -> ChildProcess {
    let input = open(input, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { throw .cannotStart(arguments[0], errno) }
    defer { close(input) }
    let group =
      switch scope {
      case .command, .group: FL_OWN_GROUP
      case .session: FL_OWN_SESSION
      }
    do throws(ChildProcess.Refusal) {
      return try ChildProcess(
        arguments, environment: environment, in: folder, mask: mask,
        streams: [input, output.descriptor, log.descriptor], group: group)
    } catch { throw .cannotStart(arguments[0], error.error) }
  }

  /// Waits for the remaining processes of a group that was asked to end.
  private static func endGroup(_ group: pid_t) {
    let limit = Clock.monotonic() + 2
    while kill(-group, 0) == 0 {
      if Clock.monotonic() > limit { kill(-group, SIGKILL) }
      usleep(5000)
    }
  }

  /// Kills all remaining processes of a session.
  private static func endSession(_ session: pid_t) {
    while true {
      // Processes started meanwhile are found in the next round.
      let members = LiveProcess.members(ofSession: session)
      if members.isEmpty { return }
      for member in members { kill(member, SIGKILL) }
      usleep(1000)
    }
  }
}
