import Glibc

/// The program that a worker runs: this very one, started by another command.
struct WorkerProgram: Sendable {
  var path: String
  /// The first is the program's name.
  var arguments: [String]

  /// The program that runs now, even if another file has its place by now.
  static let ourselves = WorkerProgram(
    path: "/proc/self/exe", arguments: ["firstlightd", BuildWorker.command])

  /// What a worker knows of our environment: where its libraries are. No backtrace of Swift's, which
  /// another program would make.
  static var environment: [String] {
    let libraries = getenv("LD_LIBRARY_PATH").map { "LD_LIBRARY_PATH=\(String(cString: $0))" }
    return ["SWIFT_BACKTRACE=enable=no"] + (libraries.map { [$0] } ?? [])
  }
}
