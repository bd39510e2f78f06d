import FirstlightModel
import Glibc
import Synchronization
import SystemSupport

/// Notes which recording is being counted, so that one that crashes the daemon does not keep it from counting the
/// others.
///
/// A recording that was being counted at two crashes is postponed: it stays in the spool, and is tried again an hour
/// after the last crash, and by each other version of the daemon. An orderly stop is no crash.
///
/// A file beside the ledger. It must survive a crash of the daemon, not of the machine, so nothing is synced. The
/// first line, of fixed length, names the recording that is being counted, the second one the daemon's version. Each
/// other line has a number of crashes, the time of the last one, and the recording.
package final class WorkJournal: Sendable {
  private struct Crashes {
    var count = 0
    /// Seconds since 1970.
    var last = 0.0

    func postpones(at now: Double) -> Bool {
      // A clock that was set back does not postpone for longer.
      count >= WorkJournal.crashLimit && abs(now - last) < WorkJournal.pause
    }
  }

  private struct State {
    var current: String?
    var crashes: [String: Crashes] = [:]
    var isStopped = false
  }

  /// Number of crashes at which work is postponed.
  static let crashLimit = 2
  /// Seconds.
  static let pause = 3600.0

  private let descriptor: CInt
  private let version: String
  private let state: Mutex<State>
  /// Length of the first line: file names have up to 255 bytes.
  private static let lineSize = 256
  /// Number of recordings with crashes that are remembered.
  private static let memory = 1000

  /// Opens or creates a journal, and counts a crash for the work that was in progress.
  /// - Parameter now: seconds since 1970.
  /// - Throws: `.cannotCreate` if it cannot be written, `.unavailable` if another daemon holds it.
  package init(
    path: String, version: String = ToolVersion.text, now: Double = Clock.realtime()
  ) throws(Failure) {
    self.version = version
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw Failure(
        .cannotCreate, "\(path): cannot be opened: \(ErrorText.of(errno))")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw Failure(.unavailable, "\(path): used by another firstlightd")
    }
    let state = Self.state(in: Self.text(descriptor), version: version, now: now)
    self.state = Mutex(state)
    write(state)
  }

  deinit {
    // As in Spool.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  private static func state(in text: String, version: String, now: Double) -> State {
    var state = State()
    let lines = text.lines
    guard lines.count > 1, lines[1] == version else { return state }
    for line in lines.dropFirst(2).prefix(memory) {
      let fields = line.split(at: " ", maxSplits: 2)
      guard fields.count == 3, let count = Int(fields[0]), (1...1000).contains(count),
        let last = Double(fields[1])
      else { continue }
      state.crashes[String(fields[2])] = Crashes(count: count, last: last)
    }
    if let work = lines[0].split(at: " ").first.map(String.init) {
      if state.crashes.count >= memory { state.crashes = [:] }
      let count = state.crashes[work]?.count ?? 0
      state.crashes[work] = Crashes(count: count + 1, last: now)
    }
    return state
  }

  /// The work that is postponed.
  package func postponed(at now: Double) -> [String] {
    state.withLock { state in
      state.crashes.filter { $0.value.postpones(at: now) }.keys.sorted()
    }
  }

  func isPostponed(_ work: String, at now: Double) -> Bool {
    state.withLock { $0.crashes[work]?.postpones(at: now) ?? false }
  }

  /// Notes the begin of work.
  /// - Parameter work: a word of at most 255 bytes.
  package func begin(_ work: String) {
    state.withLock { state in
      state.current = work
      if !state.isStopped { writeLine(work) }
    }
  }

  /// Notes the end of the work, successful or not.
  package func end() {
    state.withLock { state in
      guard let work = state.current else { return }
      state.current = nil
      if state.isStopped { return }
      if state.crashes.removeValue(forKey: work) == nil { writeLine("") } else { write(state) }
    }
  }

  /// Notes that the daemon ends in order, from now on at any moment.
  package func stop() {
    state.withLock { state in
      state.isStopped = true
      writeLine("")
    }
  }

  private func writeLine(_ work: String) {
    let line = Self.line(work)
    _ = pwrite(descriptor, line, line.count, 0)
  }

  private func write(_ state: State) {
    let lines = state.crashes.sorted { $0.key < $1.key }
      .map { "\($0.value.count) \($0.value.last) \($0.key)\n" }
    let bytes = Self.line(state.current ?? "") + "\(version)\n\(lines.joined())".utf8
    _ = ftruncate(descriptor, 0)
    _ = pwrite(descriptor, bytes, bytes.count, 0)
  }

  private static func line(_ work: String) -> [UInt8] {
    let word = Array(work.utf8.prefix(lineSize - 1))
    return word + Array(repeating: UInt8(ascii: " "), count: lineSize - 1 - word.count)
      + [UInt8(ascii: "\n")]
  }

  private static func text(_ descriptor: CInt) -> String {
    var bytes = [UInt8](repeating: 0, count: 512 << 10)
    let count = max(0, pread(descriptor, &bytes, bytes.count, 0))
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
