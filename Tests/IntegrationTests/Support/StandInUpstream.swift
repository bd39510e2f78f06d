import Foundation
import TestSupport
import Testing

/// What stands in for a firstlightd that others send to; see `Tests/Fixtures/fleet/upstream.py`.
struct StandInUpstream {
  let url: String
  private let script: RunningCommand
  private let bodies: TemporaryDirectory

  /// - Parameter mode: what it answers: `busy`, `full`, `batch`, or how many traces it refuses.
  init(_ mode: String) throws {
    bodies = try TemporaryDirectory()
    script = try HostileScript.start("upstream", [bodies.url.path, mode])
    let port: Int = try script.waitForOutput { $0.split(separator: "\n").first.flatMap { Int($0) } }
    url = "http://127.0.0.1:\(port)"
  }

  /// The file of a body, once it came and was answered.
  func body(_ number: Int) throws -> String {
    try script.waitForOutput { $0.contains("body \(number)\n") ? true : nil }
    return bodies.path("body-\(number)")
  }

  func stop() throws {
    script.send(SIGKILL)
    _ = try script.wait()
  }
}
