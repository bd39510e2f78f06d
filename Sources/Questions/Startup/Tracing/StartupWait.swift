import Glibc
import ProcessControl
import SystemSupport

/// Reports the condition that a slow start waits for, and the program's state meanwhile.
struct StartupWait {
  let program: String
  let until: ReadinessCondition
  let timeout: Double
  /// The command that waits for a port instead; nil: none is suggested.
  let command: ((Int) -> String)?
  /// Ports on which the program listens.
  private(set) var ports: [Int] = []
  /// The time of the next check: CLOCK_MONOTONIC, seconds.
  private(set) var next: Double
  private let start = Clock.monotonic()
  private var hasSaid = false

  /// Shorter waits are not reported, seconds.
  private static let patience = 2.0
  private static let interval = 1.0

  init(
    _ program: String, until: ReadinessCondition, timeout: Double, command: ((Int) -> String)?
  ) {
    self.program = program
    self.until = until
    self.timeout = timeout
    self.command = command
    next = start + Self.patience
  }

  /// Checks the state of the processes.
  mutating func look(at processes: [pid_t]) {
    let now = Clock.monotonic()
    next = now + Self.interval
    if !hasSaid {
      hasSaid = true
      let limit = TimeText.text(timeout)
      Terminal.remark(
        "waiting until \(program) has \(until.doneText) (--until \(until.text)), at most \(limit)")
    }
    Terminal.progress("waiting, \(Int(now - start)) s of \(TimeText.text(timeout))")
    guard ports.isEmpty else { return }
    find(processes)
    guard let port = ports.first, let command else { return }
    Terminal.remark("\(program) \(Self.text(ports)). To measure up to that: \(command(port))")
  }

  /// Finds the ports on which processes listen.
  mutating func find(_ processes: [pid_t]) {
    ports = Set(processes.flatMap(ListeningSockets.ports)).sorted()
  }

  /// "runs and listens on port 80", "runs and listens on ports 80, 443".
  static func text(_ ports: [Int]) -> String {
    "runs and listens on \(ports.count == 1 ? "port" : "ports") "
      + ports.map(String.init).joined(separator: ", ")
  }
}
