import FirstlightModel
import Glibc

/// A command run by the shell, with what it says in a file.
struct ShellCommand {
  /// Words; run without a shell if `isShell` is false.
  let arguments: [String]
  let log: String

  init(shell: String, log: String) {
    arguments = ["/bin/sh", "-c", shell]
    self.log = log
  }

  init(_ arguments: [String], log: String) {
    self.arguments = arguments
    self.log = log
  }

  /// Runs it to its end; somebody who watches sees how long it has taken and its last line.
  ///
  /// - Returns: its wait status.
  /// - Throws: `Failure` of kind `cannotCreate` (the log) or `system`.
  func run(_ what: String) throws(Failure) -> Int32 {
    let file = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else {
      throw Failure(.cannotCreate, "\(log): cannot write: \(String(cString: strerror(errno)))")
    }
    defer { close(file) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, file, 1)
    posix_spawn_file_actions_adddup2(&actions, file, 2)
    // Ctrl-C is the command's: we put things right when it has ended.
    let previous = signal(SIGINT, SIG_IGN)
    defer { signal(SIGINT, previous) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var interrupt = sigset_t()
    sigemptyset(&interrupt)
    sigaddset(&interrupt, SIGINT)
    posix_spawnattr_setsigdefault(&attributes, &interrupt)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var child = pid_t()
    let error = withCArguments(arguments) {
      posix_spawn(&child, arguments[0], &actions, &attributes, $0, environ)
    }
    guard error == 0 else {
      throw Failure(.system, "\(arguments[0]): cannot start: \(String(cString: strerror(error)))")
    }
    return wait(for: child, what)
  }

  private func wait(for child: pid_t, _ what: String) -> Int32 {
    let start = Clock.monotonic()
    var status: Int32 = 0
    // Without anybody to tell, there is nothing to do meanwhile.
    while waitpid(child, &status, Terminal.isWatched ? WNOHANG : 0) != child {
      guard Terminal.isWatched else { continue }
      let seconds = Int(Clock.monotonic() - start)
      Terminal.progress("\(what)  \(seconds) s  \(lastLine.prefix(60))")
      usleep(200_000)
    }
    Terminal.clearProgress()
    return status
  }

  /// The last line of the log that says something.
  var lastLine: String { lastLines(1).first ?? "" }

  /// The last lines of the log that say something.
  func lastLines(_ count: Int) -> [String] {
    let file = open(log, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    let size = lseek(file, 0, SEEK_END)
    var bytes = [UInt8](repeating: 0, count: 8192)
    let read = pread(file, &bytes, bytes.count, max(0, size - bytes.count))
    return String(decoding: bytes.prefix(max(0, read)), as: UTF8.self)
      .split(whereSeparator: \.isNewline).filter { $0.contains { !$0.isWhitespace } }
      .suffix(count).map { line in String(line.filter { $0 == "\t" || $0 >= " " }) }
  }

  /// Whether a wait status is that of a command that Ctrl-C ended; shells say it as 130.
  static func isInterrupted(_ status: Int32) -> Bool {
    status & 0x7f == SIGINT || (status & 0x7f == 0 && status >> 8 & 0xff == 128 + SIGINT)
  }

  /// What a wait status says.
  static func ending(_ status: Int32) -> String {
    let signal = status & 0x7f
    return signal == 0
      ? "ended with exit status \(status >> 8 & 0xff)"
      : "was killed by signal \(signal) (\(String(cString: strsignal(signal))))"
  }
}
