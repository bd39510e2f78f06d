import FirstlightModel
import Foundation
import Glibc
import ProfileFile
import ReferenceIndex
import SystemSupport
import TextFormatting

/// Where `test` builds and keeps its results, beside the user's own build.
package struct SuiteFolder {
  /// Of the project: an absolute path.
  package let project: String

  package var path: String { "\(project)/\(LastProfile.testFolder)" }
  package var profile: String { "\(path)/tests.\(ProfileFile.pathExtension)" }
  var lock: String { "\(path)/lock" }
  package func log(_ what: String) -> String { "\(path)/logs/\(what).log" }
  var compilers: String { "\(path)/bin" }
  var cmake: String { "\(path)/cmake" }
  /// What clang indexes.
  var index: String { "\(project)/\(IndexStoreLocation.ofTests)" }
  private var commands: String { "\(path)/commands" }
  private var times: String { "\(path)/times" }

  package init(project: String) { self.project = project }

  /// Makes the folders, and has version control ignore them. Fails with `.cannotCreate`.
  package func create() throws(Failure) {
    for folder in ["\(path)/logs", compilers] {
      do {
        try FileManager.default.createDirectory(
          atPath: folder, withIntermediateDirectories: true)
      } catch {
        throw Failure(
          .cannotCreate, "\(path): cannot create this folder",
          advice: "make \(project) writable, or test a copy of it")
      }
    }
    try ResultFile.write("*\n", to: "\(path)/.gitignore")
  }

  /// The command that builds and runs the tests as the user does, if the last run was given one.
  package var plainCommand: String? { try? TextFile.read(commands) }

  func note(plainCommand: String?) throws(Failure) {
    if let plainCommand {
      try ResultFile.write(plainCommand, to: commands)
    } else {
      unlink(commands)
    }
  }

  /// How long a command took the last time, seconds; nil: it is the first time.
  package func lastTime(of command: String) -> Double? { durations[Self.line(command)] }

  package func note(_ seconds: Double, for command: String) throws(Failure) {
    var durations = durations
    durations[Self.line(command)] = seconds
    let lines = durations.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)\n" }
    try ResultFile.write(lines.joined(), to: times)
  }

  private static func line(_ command: String) -> String {
    command.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private var durations: [String: Double] {
    var result: [String: Double] = [:]
    for line in ((try? TextFile.read(times)) ?? "").split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 1)
      if words.count == 2, let seconds = Double(words[0]) { result[String(words[1])] = seconds }
    }
    return result
  }
}
