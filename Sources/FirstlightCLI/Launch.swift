import Glibc

/// One way to start the program to be recorded and to learn of its end.
protocol Launch {
  /// Starts the program with this signal mask; SIGCHLD tells when to ask `end`.
  ///
  /// If it cannot be started, ends this process with 127 or 126, as `env` does.
  mutating func start(_ command: [String], mask: sigset_t) -> pid_t

  /// The program's wait status once it has ended. Never blocks.
  mutating func end() -> Int32?

  /// Lets go of what else it started.
  mutating func finish()
}

/// Starts a program that records itself.
struct PlainLaunch: Launch {
  /// The directory that it records into.
  let directory: String
  private var child: pid_t = 0

  init(directory: String) { self.directory = directory }

  mutating func start(_ command: [String], mask: sigset_t) -> pid_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var mask = mask
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

    let error = withCArguments(command) {
      posix_spawnp(&child, command[0], nil, &attributes, $0, environ)
    }
    guard error == 0 else { Self.cannotStart(command[0], error, directory: directory) }
    return child
  }

  func end() -> Int32? {
    var status: Int32 = 0
    return waitpid(child, &status, WNOHANG) == child ? status : nil
  }

  func finish() {}

  /// Ends this process since the program cannot be started.
  static func cannotStart(_ program: String, _ error: Int32, directory: String?) -> Never {
    if let directory { rmdir(directory) }
    let reason =
      error == ENOEXEC
      ? "neither an ELF program nor a script that begins with #!" : String(cString: strerror(error))
    Terminal.complain("error: \(program): cannot start: \(reason)")
    exit(error == ENOENT ? 127 : 126)
  }
}

/// Calls `body` with a program's arguments as exec takes them.
func withCArguments<Result>(
  _ arguments: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
  pointers.append(nil)
  defer { for pointer in pointers { free(pointer) } }
  return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
}
