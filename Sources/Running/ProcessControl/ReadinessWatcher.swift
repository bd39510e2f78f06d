import FirstlightLauncher
import FirstlightModel
import Foundation
import Glibc
import Synchronization
import SystemSupport

/// Watches, from a thread of its own, for the moment at which a program has started up: that it says
/// so, writes a line, listens, or answers.
///
/// Make it before the program starts, call `start` when it runs and `finish` when it has ended. Its thread
/// ends with it.
package final class ReadinessWatcher: Sendable {
  /// The end of a pipe that can be read once the moment has come. Ours until deinit.
  package var descriptor: Int32 { reached.output }
  private let moment: ReadinessCondition
  private let state = Mutex(State())
  private let reached: WakePipe
  /// Ends the thread.
  private let stop: WakePipe
  /// Of the directory in which the runtime makes a file that ends in `.ready`; nil if it does not matter.
  private let files: DirectoryWatch?
  /// What the program has to read and write so that a line of it is seen; nil if it does not matter.
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
  /// The polling interval, for people.
  package static let intervalText = "every 0.05 to 0.2 ms"

  /// - Parameters:
  ///   - directory: FIRSTLIGHT_DIR of the program, for the moment `ready`.
  ///   - input: what the program reads if a line is waited for; is closed with this.
  ///   - copy: where its output goes on to if a line is waited for; -1: nowhere.
  /// - Returns: nil if there is nothing to watch for: exit and durations.
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

  /// A child of what ended may hold the port for a moment.
  private static func waitUntilUnused(_ port: Int) throws(Failure) {
    let table = ListeningPort(port)
    let deadline = Clock.monotonic() + 1
    while table.isOpen(process: "self") {
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

  /// CLOCK_MONOTONIC at the moment, seconds; nil before it.
  package var reachedAt: Double? { streams?.reachedAt ?? state.withLock { $0.reachedAt } }

  /// Time between the last two looks at the port, seconds: the moment is known no better.
  package var resolution: Double { state.withLock { $0.resolution } }

  /// The status of the answer to a GET: 200, 404; 0 if it was not HTTP; nil before it.
  package var answer: Int? { state.withLock { $0.answer } }

  /// Starts to look. Call once.
  ///
  /// - Parameters:
  ///   - pid: the program, whose network it is.
  ///   - onReached: called from the thread.
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

  /// Looks once more at what the program wrote. Call once it has ended: its last line may be the one.
  package func finish() { streams?.finish() }

  private func run(pid: pid_t, onReached: () -> Void) {
    guard isReached(pid) else { return }
    let now = Clock.monotonic()
    state.withLock { $0.reachedAt = now }
    reached.ring()
    onReached()
  }

  /// Waits; false if there is no need any more.
  private func isReached(_ pid: pid_t) -> Bool {
    switch moment {
    case .exit, .line, .duration: return false  // No thread looks for these.
    case .ready:
      while let files, waits(for: files.descriptor, nanoseconds: nil) {
        if files.take({ $0.reversed().starts(with: ".ready".utf8.reversed()) }) { return true }
      }
      return false
    case .port(let port):
      let table = ListeningPort(port)
      // A program that has gone into the background has left our network to look at.
      return looks { table.isOpen(process: kill(pid, 0) == 0 ? "\(pid)" : "self") }
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

  /// Looks again and again.
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

  /// Waits until a descriptor can be read or the time is over; false if the watch is to end.
  private func waits(for file: Int32, nanoseconds: Int64?) -> Bool {
    fl_wait(stop.output, file, nanoseconds ?? -1) & Int32(FL_WAIT_FIRST) == 0
  }
}

/// The TCP ports that a process listens on: those of the sockets that it has open, as the kernel's tables
/// name them (proc_pid_fd(5), proc_pid_net(5)).
package enum ListeningSockets {
  /// Rising; empty if there is none, or the process cannot be looked into.
  package static func ports(of process: pid_t) -> [Int] {
    let sockets = Self.sockets(of: process)
    guard !sockets.isEmpty else { return [] }
    let ports = ListeningPort.Table.allCases.flatMap { table in
      (ProcFile.text("/proc/\(process)/net/\(table.rawValue)") ?? "").split(separator: "\n")
        .compactMap { port($0, among: sockets) }
    }
    return Set(ports).sorted()
  }

  /// The numbers of a process's open sockets.
  private static func sockets(of process: pid_t) -> Set<Substring> {
    let folder = "/proc/\(process)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let links = names.compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
    }
    return Set(links.filter { $0.hasPrefix("socket:[") }.map { $0.dropFirst(8).dropLast() })
  }

  /// The port of a line of the table, if it is of a socket among these that listens.
  private static func port(_ line: Substring, among sockets: Set<Substring>) -> Int? {
    // sl, address:port, remote, state, queues, timer, retransmits, user, timeout, number.
    let words = line.split(separator: " ")
    // State 0A is LISTEN (include/net/tcp_states.h).
    guard words.count > 9, words[3] == "0A", sockets.contains(words[9]) else { return nil }
    return words[1].split(separator: ":").last.flatMap { Int($0, radix: 16) }
  }
}
