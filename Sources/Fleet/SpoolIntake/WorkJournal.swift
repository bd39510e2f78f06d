import FirstlightModel
import Glibc
import Synchronization

/// Knows over the daemon's own end what it was doing then: what has ended it twice is not done again.
///
/// A file beside the ledger. It is for a daemon that dies, not for a machine: nothing is synced. Its first
/// line, of a fixed length, is what is being done, word by word; each line after that is a number of deaths
/// and what they came of. Of several things that were being done when the daemon died, any may have ended it:
/// so what has a death is to be done alone, see `isSuspect`.
package final class WorkJournal: Sendable {
  private struct State {
    var current: [String] = []
    var deaths: [String: Int] = [:]
  }

  /// How often something may end the daemon before it is left alone.
  package static let deathLimit = 2

  private let path: String
  private let descriptor: CInt
  private let state: Mutex<State>
  /// How many things may be done at once.
  package static let places = 16
  private static let lineSize = 1024
  /// Deaths that are remembered.
  private static let memory = 100

  /// Opens a journal, or makes it, and notes what the daemon was doing when it last ended.
  /// - Throws: `.cannotCreate` if it cannot be written, `.unavailable` if another daemon has it.
  package init(path: String) throws(Failure) {
    self.path = path
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw Failure(
        .cannotCreate, "\(path): cannot be opened: \(ErrorText.of(errno))")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw Failure(.unavailable, "\(path): used by another firstlightd")
    }
    var found = State()
    let lines = Self.text(descriptor).split(separator: "\n", omittingEmptySubsequences: false)
    for line in lines.dropFirst() {
      let fields = line.split(separator: " ", maxSplits: 1)
      guard fields.count == 2, let count = Int(fields[0]), (1...1000).contains(count) else {
        continue
      }
      found.deaths[String(fields[1])] = count
    }
    for work in lines.first?.split(separator: " ") ?? [] {
      if found.deaths.count >= Self.memory { found.deaths = [:] }
      found.deaths[String(work), default: 0] += 1
    }
    let state = found
    self.state = Mutex(state)
    write(state)
  }

  deinit { close(descriptor) }

  /// Notes that something begins, unless it has ended the daemon too often.
  /// - Parameter work: a word, the same for the same thing.
  /// - Returns: whether to do it.
  package func begin(_ work: String) -> Bool {
    state.withLock { state in
      guard state.deaths[work, default: 0] < Self.deathLimit else { return false }
      precondition(state.current.count < Self.places, "no more than \(Self.places) things at once")
      state.current.append(work)
      writeLine(state.current)
      return true
    }
  }

  /// Whether it was being done when the daemon died.
  package func isSuspect(_ work: String) -> Bool { state.withLock { $0.deaths[work] != nil } }

  /// Notes that what began last has come to an end, good or bad.
  package func end() {
    state.withLock { state in
      if let work = state.current.last { end(work, in: &state) }
    }
  }

  /// Notes that something has come to an end, good or bad.
  package func end(_ work: String) { state.withLock { end(work, in: &$0) } }

  private func end(_ work: String, in state: inout State) {
    guard let place = state.current.lastIndex(of: work) else { return }
    state.current.remove(at: place)
    if state.deaths.removeValue(forKey: work) == nil {
      writeLine(state.current)
    } else {
      write(state)
    }
  }

  /// Forgets what has ended the daemon: it is out of the way.
  package func forget(_ work: String) {
    state.withLock { state in
      if state.deaths.removeValue(forKey: work) != nil { write(state) }
    }
  }

  private func writeLine(_ work: [String]) {
    let line = Self.line(work)
    _ = pwrite(descriptor, line, line.count, 0)
  }

  private func write(_ state: State) {
    let lines = state.deaths.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)\n" }
    let bytes = Self.line(state.current) + lines.joined().utf8
    _ = ftruncate(descriptor, 0)
    _ = pwrite(descriptor, bytes, bytes.count, 0)
  }

  private static func line(_ work: [String]) -> [UInt8] {
    let words = Array(work.joined(separator: " ").utf8.prefix(lineSize - 1))
    return words + Array(repeating: UInt8(ascii: " "), count: lineSize - 1 - words.count)
      + [UInt8(ascii: "\n")]
  }

  private static func text(_ descriptor: CInt) -> String {
    var bytes = [UInt8](repeating: 0, count: lineSize * (memory + 1))
    let count = max(0, pread(descriptor, &bytes, bytes.count, 0))
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
