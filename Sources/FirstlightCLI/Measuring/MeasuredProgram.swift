import FirstlightLauncher
import FirstlightModel
import Glibc

/// A program started to be measured. Ends with its owner.
///
/// A twin of ProgramRunner in a small way: that one hands on the terminal and signals to a program
/// somebody uses; this one starts a program that nobody talks to, and stops it to look at it.
final class MeasuredProgram {
  let pid: pid_t
  private(set) var isTraced: Bool
  /// CLOCK_MONOTONIC before it was started, seconds.
  let startedAt: Double
  /// What it said on standard error.
  private let errors: ErrorLog?
  /// Its wait status, once it has ended, and what it used.
  private(set) var ending: (status: Int32, usage: rusage)?

  enum Change {
    /// About to end, its memory still there.
    case ending
    case stopped
    case ended
  }

  enum StartFailure: Error {
    /// The system lets us trace nothing.
    case notTraceable(String)
    case cannotStart(String)
  }

  /// - Parameter traced: stops it right after exec and before its end.
  init(
    path: String, arguments: [String], environment: [String: String?], traced: Bool
  ) throws(StartFailure) {
    let said = try? ErrorLog()
    errors = said
    isTraced = traced
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { if null >= 0 { close(null) } }
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    var variables = Self.variables(changed: environment).map { strdup($0) } + [nil]
    defer { for word in words + variables { free(word) } }
    var child = pid_t()
    var failed = FL_LAUNCH_START
    startedAt = Clock.monotonic()
    let error = path.withCString { path in
      words.withUnsafeMutableBufferPointer { words in
        variables.withUnsafeMutableBufferPointer { variables in
          var launch = fl_launch(
            path: path, arguments: words.baseAddress!, environment: variables.baseAddress!,
            input: null, output: null, errors: said?.descriptor ?? null, traced: traced)
          return fl_launch_program(&launch, &child, &failed)
        }
      }
    }
    pid = child
    guard error == 0 else {
      let reason = String(cString: strerror(error))
      throw failed == FL_LAUNCH_TRACE ? .notTraceable(reason) : .cannotStart(reason)
    }
  }

  deinit {
    if ending == nil {
      kill(pid, SIGKILL)
      var status: Int32 = 0
      while true {
        let found = waitpid(pid, &status, 0)
        if found < 0 && errno != EINTR { break }
        if found == pid && status & 0xff != 0x7f { break }
        // Traced, it stops once more before its end.
        fl_trace_continue(pid, 0)
      }
    }
  }

  private static func variables(changed: [String: String?]) -> [String] {
    var variables: [String] = []
    var next = environ
    while let variable = next.pointee {
      let text = String(cString: variable)
      let name = String(text.prefix { $0 != "=" })
      if changed[name] == nil { variables.append(text) }
      next += 1
    }
    for (name, value) in changed { if let value { variables.append("\(name)=\(value)") } }
    return variables
  }

  /// Takes one change, if there is one; signals meant for a traced program are handed on.
  ///
  /// - Parameter wait: whether to wait for one.
  func nextChange(wait: Bool = false) -> Change? {
    while ending == nil {
      var status: Int32 = 0
      var usage = rusage()
      let found = wait4(pid, &status, (wait ? 0 : WNOHANG) | WUNTRACED, &usage)
      if found < 0 && errno == EINTR { continue }
      guard found == pid else { return nil }
      if status & 0xff != 0x7f {
        ending = (status, usage)
        return .ended
      }
      let signal = (status >> 8) & 0xff
      if fl_is_exit_stop(status) { return .ending }
      // Traced, a stop is a signal on its way, but for the one after exec.
      if !isTraced || !isRunning { return .stopped }
      fl_trace_continue(pid, fl_is_exec_stop(status) ? 0 : signal)
    }
    return .ended
  }

  /// Whether a traced program has been let go on from its exec.
  private(set) var isRunning = false

  /// Lets a traced program that is stopped go on: to its end, or for good.
  func resume(untraced: Bool = false) {
    isRunning = true
    if untraced {
      fl_trace_detach(pid)
      isTraced = false
    } else {
      fl_trace_continue(pid, 0)
    }
  }

  /// The end of what it said on standard error; empty if nothing.
  var lastWords: String { errors?.lastWords ?? "" }
}
