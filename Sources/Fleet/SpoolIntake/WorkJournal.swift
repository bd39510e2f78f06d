import FirstlightModel
import Glibc
import Synchronization

/// Records the daemon's current work, to refuse work on which the daemon has crashed twice.
///
/// A file beside the ledger. It must survive a crash of the daemon, not of the machine, so nothing is
/// synced. The first line, of fixed length, lists the work in progress, one word each; each other
/// line has a number of crashes and the work that they count for. If several items were in progress,
/// any of them may have crashed the daemon: run each of them alone the next time, see `isSuspect`.
package final class WorkJournal: Sendable {
  private struct State {
    var current: [String] = []
    var deaths: [String: Int] = [:]
  }

  /// Number of crashes at which work is refused.
  package static let deathLimit = 2

  private let path: String
  private let descriptor: CInt
  private let state: Mutex<State>
  /// Maximum number of items in progress.
  private let places: Int
  private var lineSize: Int { places * Self.wordSize }
  /// Bytes of a word and the following space, if all places are used.
  private static let wordSize = 64
  /// Number of items with crashes that are remembered.
  private static let memory = 1000
  /// Maximum size of a journal: file names have up to 255 bytes.
  private static let mostBytes = 512 << 10

  /// Opens or creates a journal, and counts a crash for the work that was in progress.
  /// - Parameter places: maximum number of items in progress.
  /// - Throws: `.cannotCreate` if it cannot be written, `.unavailable` if another daemon holds it.
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
    // A crash counts once, even for work that was in progress twice.
    let current = Set(lines.first?.split(separator: " ").map(String.init) ?? [])
    if found.deaths.count + current.count > Self.memory { found.deaths = [:] }
    for work in current { found.deaths[work, default: 0] += 1 }
    let state = found
    self.state = Mutex(state)
    write(state)
  }

  deinit { close(descriptor) }

  /// Records that work begins, unless the daemon has crashed on it too often.
  /// - Parameter work: a word that identifies the work.
  /// - Returns: whether to do the work.
  package func begin(_ work: String) -> Bool {
    state.withLock { state in
      guard state.deaths[work, default: 0] < Self.deathLimit else { return false }
      precondition(state.current.count < places, "no more than \(places) things at once")
      state.current.append(work)
      writeLine(state.current)
      return true
    }
  }

  /// Whether the work was in progress when the daemon died.
  package func isSuspect(_ work: String) -> Bool { state.withLock { $0.deaths[work] != nil } }

  /// Records the end of the work that began last, successful or not.
  package func end() {
    state.withLock { state in
      if let work = state.current.last { end(work, in: &state) }
    }
  }

  /// Records the end of the work, successful or not.
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

  /// Forgets work that crashed the daemon and will not be tried again.
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
