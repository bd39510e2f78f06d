import Foundation
import TestSupport
import Testing

/// What a daemon exports to Prometheus, and what is asked for.
struct MetricNames {
  /// By name, of metrics of our own that have no labels.
  let values: [String: Double]

  init(of daemon: Daemon) throws {
    let text = try Command.check([
      "curl", "-sf", "http://127.0.0.1:\(try daemon.port())/metrics",
    ])
    values = Dictionary(
      text.split(separator: "\n").compactMap { line in
        let words = line.split(separator: " ")
        guard words.count == 2, words[0].hasPrefix("firstlightd_") else { return nil }
        return Double(words[1]).map { (String(words[0]), $0) }
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The metrics of firstlightd that a file of `Packaging` names.
  static func asked(in file: String) throws -> Set<String> {
    let text = try String(
      contentsOf: Toolchain.project.appending(path: "Packaging/\(file)"), encoding: .utf8)
    return Set(text.matches(of: /firstlightd_[a-z_]+/).map { String($0.output) })
  }
}
