import FirstlightModel
import Glibc
import Synchronization

/// Messages for the user: on standard error, never on standard output.
package enum Terminal {
  /// Whether standard error is a terminal on which lines can be replaced.
  package static let isWatched =
    isatty(STDERR_FILENO) == 1 && obeysSequences

  /// Whether standard output is a terminal that shows colours, and NO_COLOR does not forbid them
  /// (no-color.org).
  static let showsColours =
    isatty(STDOUT_FILENO) == 1 && obeysSequences
    && getenv("NO_COLOR").map { $0[0] == 0 } ?? true

  /// Whether a terminal supports the sequences for replaced lines and colours: TERM is set, and not `dumb`.
  static func obeysSequences(term: String?) -> Bool { !["", "dumb"].contains(term ?? "") }

  private static var obeysSequences: Bool {
    obeysSequences(term: getenv("TERM").map { String(cString: $0) })
  }

  /// Prints a permanent line: an error, a warning, a summary.
  package static func report(_ line: String) {
    clearProgress()
    // Quoted text may come from other programs.
    let lines = line.lines
    write(
      "firstlight: " + lines.map { Escaping.terminal(String($0)) }.joined(separator: "\n") + "\n")
  }

  /// Prints a permanent line only on a terminal: the current activity, or the way to stop it.
  package static func notice(_ line: String) {
    if isWatched { report(line) }
  }

  /// Prints a line that the next one replaces; only on a terminal.
  package static func progress(_ line: String) {
    guard isWatched else { return }
    write("\r\u{1b}[K" + Escaping.terminal(line))
    progressShown.store(true, ordering: .relaxed)
  }

  /// Prints a permanent line beside the result of long work, unless FIRSTLIGHT_QUIET is set.
  package static func remark(_ line: String) {
    if !isQuiet { report(line) }
  }

  private static let isQuiet = getenv("FIRSTLIGHT_QUIET").map { $0[0] != 0 } ?? false

  /// Prints the progress of long work: like `progress` on a terminal. Elsewhere prints a line after
  /// 2 s, then each time the elapsed time has doubled, but at least once a minute.
  package static func advance(_ line: String) {
    if isWatched { return progress(line) }
    let now = Clock.monotonic()
    let since = advancing ?? (start: now, next: now + 2)
    advancing = since
    guard now >= since.next else { return }
    remark("\(line), after \(Int(now - since.start)) s")
    advancing?.next = now + min(now - since.start, 60)
  }

  // Only one thread calls `advance`.
  nonisolated(unsafe) private static var advancing: (start: Double, next: Double)?

  /// Prints the next step of long work: a progress line, or a permanent line where lines cannot be replaced.
  package static func step(_ line: String) {
    if isWatched { progress(line) } else { report(line) }
  }

  /// Removes the progress line.
  package static func clearProgress() {
    guard isWatched, progressShown.exchange(false, ordering: .relaxed) else { return }
    write("\r\u{1b}[K")
  }

  private static let progressShown = Atomic(false)

  private static func write(_ text: String) {
    var text = text
    text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}

/// Descriptors 0, 1 and 2 of this process.
package enum StandardStreams {
  /// Reserves standard streams that were closed at start, so that no later file becomes one: a
  /// child with its own streams would lose such a file. The reserved stream stays unusable, as if
  /// closed, and is closed in child programs. Call this before any file is opened.
  package static func reserve() {
    while true {
      let descriptor = open("/dev/null", RegularFile.onlyPlace | O_CLOEXEC)
      guard descriptor >= 0, descriptor <= 2 else {
        if descriptor > 2 { close(descriptor) }
        return
      }
    }
  }
}
