import FirstlightModel
import Glibc
import Synchronization

/// Remembers what the daemon was doing when it crashed: work that it has crashed on twice is refused.
///
/// A file beside the ledger. It has to survive a crash of the daemon, not of the machine, so nothing is
/// synced. The first line, of a fixed length, lists the work in progress, word by word; each other line is a
/// number of crashes and the work that they are counted for. If several things were in progress, any of them
/// may have crashed the daemon: do each of them alone the next time, see `isSuspect`.
package final class WorkJournal: Sendable {
  private struct State {
    var current: [String] = []
    var deaths: [String: Int] = [:]
  }

  /// How many crashes there may be before work is refused.
  package static let deathLimit = 2

  private let path: String
  private let descriptor: CInt
  private let state: Mutex<State>
  /// How many things may be in progress at once.
  private let places: Int
  private var lineSize: Int { places * Self.wordSize }
  /// Bytes of a word and the space after it, if all places are taken.
  private static let wordSize = 64
  /// How many works with crashes are remembered.
  private static let memory = 1000
  /// No journal is larger: names of files have up to 255 bytes.
  private static let mostBytes = 512 << 10

  /// Opens a journal, or makes it, and notes what the daemon was doing when it last ended.
  /// - Parameter places: how many things may be in progress at once.
  /// - Throws: `.cannotCreate` if it cannot be written, `.unavailable` if another daemon has it.
  package init(path: String, places: Int = 16) throws(Failure) {
    self.path = path
    self.places = places
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
    // One crash is one death, also of work that was in progress twice.
    let current = Set(lines.first?.split(separator: " ").map(String.init) ?? [])
    if found.deaths.count + current.count > Self.memory { found.deaths = [:] }
    for work in current { found.deaths[work, default: 0] += 1 }
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
      precondition(state.current.count < places, "no more than \(places) things at once")
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
    let line = line(work)
    _ = pwrite(descriptor, line, line.count, 0)
  }

  private func write(_ state: State) {
    let lines = state.deaths.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)\n" }
    let bytes = line(state.current) + lines.joined().utf8
    _ = ftruncate(descriptor, 0)
    _ = pwrite(descriptor, bytes, bytes.count, 0)
  }

  private func line(_ work: [String]) -> [UInt8] {
    let words = Array(work.joined(separator: " ").utf8.prefix(lineSize - 1))
    return words + Array(repeating: UInt8(ascii: " "), count: lineSize - 1 - words.count)
      + [UInt8(ascii: "\n")]
  }

  private static func text(_ descriptor: CInt) -> String {
    var bytes = [UInt8](repeating: 0, count: mostBytes)
    let count = max(0, pread(descriptor, &bytes, bytes.count, 0))
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
