import FirstlightModel
import Glibc

/// What the tool says to people beside its results: on standard error, never on standard output.
package enum Terminal {
  /// Whether standard error is a terminal on which lines can be replaced.
  package static let isWatched =
    isatty(STDERR_FILENO) == 1 && obeysSequences

  /// Whether standard output is a terminal that shows colours, and NO_COLOR does not forbid them
  /// (no-color.org).
  package static let showsColours =
    isatty(STDOUT_FILENO) == 1 && obeysSequences
    && getenv("NO_COLOR").map { $0[0] == 0 } ?? true

  /// Whether a terminal obeys the sequences that replace lines and show colours: TERM is set, and not `dumb`.
  static func obeysSequences(term: String?) -> Bool { !["", "dumb"].contains(term ?? "") }

  private static var obeysSequences: Bool {
    obeysSequences(term: getenv("TERM").map { String(cString: $0) })
  }

  /// One line that stays: an error, a warning, a summary.
  package static func report(_ line: String) {
    clearProgress()
    // Quoted text may come from other programs.
    let lines = line.split(separator: "\n", omittingEmptySubsequences: false)
    write(
      "firstlight: " + lines.map { PrintableText.of(String($0)) }.joined(separator: "\n") + "\n")
  }

  /// One line that stays, only on a terminal: the current activity, how to end it.
  package static func notice(_ line: String) {
    if isWatched { report(line) }
  }

  /// One line that the next one replaces; only on a terminal.
  package static func progress(_ line: String) {
    guard isWatched else { return }
    write("\r\u{1b}[K" + PrintableText.of(line))
    progressShown = true
  }

  /// One line that stays, beside the result of work that lasts; not where FIRSTLIGHT_QUIET is set.
  package static func remark(_ line: String) {
    if !isQuiet { report(line) }
  }

  private static let isQuiet = getenv("FIRSTLIGHT_QUIET").map { $0[0] != 0 } ?? false

  /// The progress of work that may take long: as `progress`. Where lines cannot be replaced, prints a line of
  /// its own after 2 s, and then whenever as much time has passed again, up to a minute.
  package static func advance(_ line: String) {
    if isWatched { return progress(line) }
    let now = Clock.monotonic()
    let since = advancing ?? (start: now, next: now + 2)
    advancing = since
    guard now >= since.next else { return }
    remark("\(line), after \(Int(now - since.start)) s")
    advancing?.next = now + min(now - since.start, 60)
  }

  // The tools write from one thread.
  nonisolated(unsafe) private static var advancing: (start: Double, next: Double)?

  /// The next step of long work: a progress line, or a line of its own where lines cannot be replaced.
  package static func step(_ line: String) {
    if isWatched { progress(line) } else { report(line) }
  }

  /// Removes the progress line.
  package static func clearProgress() {
    guard isWatched, progressShown else { return }
    write("\r\u{1b}[K")
    progressShown = false
  }

  // The tools write from one thread.
  nonisolated(unsafe) private static var progressShown = false

  private static func write(_ text: String) {
    var text = text
    text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}

/// Descriptors 0, 1 and 2 of this process.
package enum StandardStreams {
  /// Keeps files that are opened later from becoming a standard stream that this process was
  /// started without: a program that is given its own streams would lose such a file. The stream
  /// stays unusable, as if closed, and is closed in programs. Call it before anything is opened.
  package static func reserve() {
    // <fcntl.h> shows it only to GNU sources, on x86-64 and arm64 alike.
    let onlyItsPath: Int32 = 0o10_000_000
    while true {
      let descriptor = open("/dev/null", onlyItsPath | O_CLOEXEC)
      guard descriptor >= 0, descriptor <= 2 else {
        if descriptor > 2 { close(descriptor) }
        return
      }
    }
  }
}
